// What else a session is asked with: tools that the provider runs, limits on the reply, a JSON
// Schema. Changed in a dialog, all at once; kept by the session like its model.

import { type FormEvent, useId, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { Button } from "../design/button";
import { Dialog } from "../design/dialog";
import { Icon } from "../design/icons";
import type { ProviderTool, RequestOptions } from "../host/protocol";
import {
  countSet,
  type OptionsField,
  type OptionsForm,
  providerTools,
  readForm,
  toForm,
} from "../state/options";
import { useApp, useOpenSummary, useStore } from "../state/use";

const none: RequestOptions = {};

export function OptionsChip() {
  const [open, setOpen] = useState(false);
  const ofNew = useApp("options");
  const isNew = useApp("open").id === null;
  const session = useOpenSummary();
  const options = isNew ? ofNew : (session?.options ?? none);
  const count = countSet(options);
  const name = count === 0 ? "Options" : `Options, ${count} set`;
  return (
    <>
      <button
        type="button"
        data-testid="composer-options"
        className="chip chip-button"
        aria-label={name}
        aria-haspopup="dialog"
        title="Web search and other tools of the provider's, limits, JSON replies"
        onClick={() => setOpen(true)}
      >
        <Icon name="sliders" />
        {count === 0 ? null : <span aria-hidden="true">{count}</span>}
      </button>
      {/* Outside of the composer, whose form would take Enter for sending. */}
      {open
        ? createPortal(
            <OptionsDialog options={options} onClose={() => setOpen(false)} />,
            document.body,
          )
        : null}
    </>
  );
}

function OptionsDialog({ options, onClose }: { options: RequestOptions; onClose: () => void }) {
  const store = useStore();
  const settings = useApp("settings");
  const session = useOpenSummary();
  const name = session?.source ?? settings.source;
  const source = settings.sources.find((one) => one.name === name);
  const [form, setForm] = useState<OptionsForm>(() => toForm(options));
  const [tools, setTools] = useState<readonly ProviderTool[]>(options.providerTools ?? []);
  const [trouble, setTrouble] = useState<string>();
  const element = useRef<HTMLFormElement>(null);
  const offered = source?.providerTools ?? [];
  const label = source?.label ?? name;

  async function save(event: FormEvent) {
    event.preventDefault();
    // React hands it on to the composer all the same.
    event.stopPropagation();
    const read = readForm(form, tools);
    if ("trouble" in read) {
      setTrouble(read.trouble);
      element.current?.querySelector<HTMLElement>(`[name=${read.field}]`)?.focus();
      return;
    }
    const refused = await store.chooseOptions(read.options);
    if (refused) setTrouble(refused.message);
    else onClose();
  }

  function toggle(tool: ProviderTool) {
    setTools((before) =>
      before.includes(tool) ? before.filter((one) => one !== tool) : [...before, tool],
    );
  }

  const field = (name: OptionsField) => ({
    name,
    value: form[name],
    onChange: (text: string) => setForm((before) => ({ ...before, [name]: text })),
  });

  return (
    <Dialog title="Options of this session" testId="options" width="w-[520px]" onClose={onClose}>
      <form
        ref={element}
        className="flex min-h-0 flex-col gap-4 overflow-y-auto px-5 pb-5"
        noValidate
        onSubmit={save}
      >
        <fieldset className="min-w-0">
          <legend className="float-left mb-1.5 w-full font-medium">Tools that {label} runs</legend>
          <div className="clear-both grid grid-cols-2 gap-1.5">
            {providerTools.map(({ value, label: tool }) => (
              <label key={value} className="flex items-center gap-2">
                <input
                  type="checkbox"
                  data-testid={`option-${value}`}
                  checked={tools.includes(value)}
                  disabled={!offered.includes(value) && !tools.includes(value)}
                  onChange={() => toggle(value)}
                />
                {tool}
              </label>
            ))}
          </div>
          <p className="mt-1.5 text-[12px] text-ink3">
            {offered.length === 0
              ? `${label} offers none here.`
              : "They run at the provider, which may charge for each use: budgets do not count that."}
          </p>
        </fieldset>
        {tools.includes("file_search") ? (
          <Area label="Stores to search, one a line" rows={2} {...field("fileStores")} />
        ) : null}
        <div className="grid grid-cols-3 gap-3">
          <Line label="Longest reply, in tokens" {...field("maxTokens")} />
          <Line label="Temperature, 0 to 2" {...field("temperature")} />
          <Line label="Top-p, 0 to 1" {...field("topP")} />
        </div>
        <label>
          <span className="mb-1 block text-[12px] text-ink2">Tools of the project</span>
          <select
            name="toolChoice"
            className="field"
            value={form.toolChoice}
            onChange={(event) => field("toolChoice").onChange(event.target.value)}
          >
            <option value="">Default</option>
            <option value="auto">The model decides</option>
            <option value="none">Use none</option>
            <option value="required">Begin with one</option>
          </select>
        </label>
        <Area label="Stop at these texts, one a line" rows={2} {...field("stop")} />
        <Area label="JSON Schema that replies must match" rows={5} {...field("schema")} />
        {source && !source.takesSchema && form.schema.trim() !== "" ? (
          <p className="text-[12px] text-ink3">{label} cannot hold a reply to a schema.</p>
        ) : null}
        {trouble ? (
          <p role="alert" data-testid="options-trouble" className="text-bad">
            {trouble}
          </p>
        ) : null}
        <div className="flex justify-end gap-2">
          <Button
            onClick={() => {
              setForm(toForm(none));
              setTools([]);
            }}
          >
            Clear all
          </Button>
          <Button look="primary" type="submit" data-testid="options-save">
            Use
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

type FieldProps = {
  label: string;
  name: OptionsField;
  value: string;
  onChange: (text: string) => void;
};

function Line({ label, name, value, onChange }: FieldProps) {
  return (
    <label>
      <span className="mb-1 block text-[12px] text-ink2">{label}</span>
      <input
        name={name}
        data-testid={`option-${name}`}
        className="field mono"
        inputMode="decimal"
        autoComplete="off"
        placeholder="Default"
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </label>
  );
}

function Area({ label, name, value, rows, onChange }: FieldProps & { rows: number }) {
  const id = useId();
  return (
    <div>
      <label htmlFor={id} className="mb-1 block text-[12px] text-ink2">
        {label}
      </label>
      <textarea
        id={id}
        name={name}
        data-testid={`option-${name}`}
        className="field mono"
        rows={rows}
        spellCheck={false}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </div>
  );
}
