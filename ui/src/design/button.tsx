// Buttons: with words, or an icon with a tooltip that is also its name.

import type { ButtonHTMLAttributes, Ref } from "react";
import { Icon, type IconName } from "./icons";

type ButtonProps = ButtonHTMLAttributes<HTMLButtonElement> & {
  look?: "plain" | "primary" | "danger";
  ref?: Ref<HTMLButtonElement>;
};

const looks = {
  plain: "border-line bg-card text-ink hover:bg-sel",
  primary: "border-ink bg-ink text-bg hover:opacity-90",
  danger: "border-bad bg-bad text-bg hover:opacity-90",
};

export function Button({ look = "plain", className, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      className={`inline-flex items-center gap-2 rounded-lg border px-3 py-1 font-medium disabled:opacity-50 ${looks[look]} ${className ?? ""}`}
      {...rest}
    />
  );
}

type IconButtonProps = Omit<ButtonHTMLAttributes<HTMLButtonElement>, "title"> & {
  icon: IconName;
  label: string;
};

export function IconButton({ icon, label, className, ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      className={`grid size-7 shrink-0 place-items-center rounded-md text-ink3 hover:bg-sel hover:text-ink ${className ?? ""}`}
      {...rest}
    >
      <Icon name={icon} />
    </button>
  );
}
