// The table of block kinds. A new kind is one component file and one line here.

import { type ComponentType, memo } from "react";
import type { Block, BlockKind } from "../state/block";
import { useBlock } from "../state/use";
import { Budget } from "./budget";
import { Compaction } from "./compaction";
import { File } from "./file";
import { Guard } from "./guard";
import { Hooks } from "./hooks";
import { Memories } from "./memories";
import { Processing } from "./processing";
import { Text } from "./text";
import { Thinking } from "./thinking";
import { Tool } from "./tool";

type Props<K extends BlockKind> = { block: Extract<Block, { kind: K }>; turn: string };

const kinds: { [K in BlockKind]: ComponentType<Props<K>> } = {
  thinking: Thinking,
  text: Text,
  tool: Tool,
  processing: Processing,
  file: File,
  compaction: Compaction,
  hooks: Hooks,
  guard: Guard,
  memories: Memories,
  budget: Budget,
};

/** Subscribes to one block, so that a chunk of another changes nothing here. */
export const BlockView = memo(function BlockView({
  turn,
  blockKey,
}: {
  turn: string;
  blockKey: string;
}) {
  const block = useBlock(turn, blockKey);
  if (!block) return null;
  // The table pairs each kind with a component that takes it; the compiler cannot see the pair.
  const Kind = kinds[block.kind] as ComponentType<{ block: Block; turn: string }>;
  return <Kind block={block} turn={turn} />;
});
