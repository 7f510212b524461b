// One choice out of a few, as radio buttons in a row: arrow keys move, the label is the target.

type ChoiceProps<T extends string> = {
  legend: string;
  name: string;
  testId: string;
  value: T;
  options: readonly { value: T; label: string }[];
  onChange: (value: T) => void;
};

export function Choice<T extends string>(props: ChoiceProps<T>) {
  const { legend, name, testId, value, options, onChange } = props;
  return (
    <fieldset className="min-w-0" data-testid={testId}>
      {/* WebKit counts the legend's height twice in a flex column unless it floats. */}
      <legend className="float-left mb-1.5 w-full font-medium">{legend}</legend>
      <div className="choice-row clear-both">
        {options.map((option) => (
          <label key={option.value} data-value={option.value} className="choice">
            <input
              type="radio"
              name={name}
              value={option.value}
              checked={option.value === value}
              onChange={() => onChange(option.value)}
            />
            <span className="min-w-0 truncate">{option.label}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
