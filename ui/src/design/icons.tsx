// The one icon set, at one size. An icon is never alone: it has a label or a tooltip beside it.

import {
  AlertTriangle,
  ArrowDown,
  ArrowUp,
  ChartColumn,
  Check,
  ChevronRight,
  Circle,
  ExternalLink,
  GitFork,
  ImagePlus,
  Info,
  type LucideIcon,
  Menu,
  Pencil,
  RotateCw,
  Settings,
  Shield,
  SlidersHorizontal,
  Trash2,
  Undo2,
  Wrench,
  X,
} from "lucide-react";

const icons = {
  alert: AlertTriangle,
  down: ArrowDown,
  up: ArrowUp,
  chart: ChartColumn,
  check: Check,
  chevron: ChevronRight,
  circle: Circle,
  external: ExternalLink,
  fork: GitFork,
  image: ImagePlus,
  info: Info,
  menu: Menu,
  pencil: Pencil,
  again: RotateCw,
  settings: Settings,
  shield: Shield,
  sliders: SlidersHorizontal,
  trash: Trash2,
  undo: Undo2,
  wrench: Wrench,
  cross: X,
} satisfies Record<string, LucideIcon>;

export type IconName = keyof typeof icons;

export function Icon({ name, className }: { name: IconName; className?: string }) {
  const Drawn = icons[name];
  return (
    <Drawn
      size={16}
      strokeWidth={1.5}
      aria-hidden="true"
      className={`shrink-0 ${className ?? ""}`}
    />
  );
}
