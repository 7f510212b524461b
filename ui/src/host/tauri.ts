// The real host: one command per line and one channel for frames. Nothing else in the web view
// imports `@tauri-apps`; a test reads the tree and fails on a second place.

import { Channel, invoke } from "@tauri-apps/api/core";
import type { Host } from "./host";
import type { Confirmation, ConfirmationAnswer, Frame } from "./protocol";

export const tauriHost: Host = {
  start: (onFrame) => invoke("start", { channel: new Channel<Frame>(onFrame) }),
  openSession: (id) => invoke("open_session", { id }),
  eventsSince: (id, since) => invoke("events_since", { id, since }),
  eventsBefore: (id, before) => invoke("events_before", { id, before }),
  send: (session, prompt, images, project, choice = "unasked", options) =>
    invoke("send_prompt", { session, prompt, images, begins: { project, options }, choice }),
  edit: (session, turn, prompt, images, choice = "unasked") =>
    invoke("edit_prompt", { session, turn, prompt, images, choice }),
  showOriginal: (session, placeholder) => invoke("show_original", { session, placeholder }),
  askAgain: (session, turn) => invoke("ask_again", { session, turn }),
  chooseModel: (session, change) => invoke("choose_model", { session, change }),
  chooseBranch: (session, turn) => invoke("choose_branch", { session, turn }),
  fork: (session, turn) => invoke("fork_session", { session, turn }),
  stop: (session) => invoke("stop_turn", { session }),
  decide: (session, turn, toolCallId, decision, scope) =>
    invoke("decide_permission", { session, turn, toolCallId, decision, scope }),
  rename: (session, title) => invoke("rename_session", { session, title }),
  remove: (session) => invoke("delete_session", { session }),
  restore: (session) => invoke("restore_session", { session }),
  changeSettings: (change) => invoke("change_settings", { change }),
  guards: (project) => invoke("guards", { project }),
  changeGuards: (project, config) => invoke("change_guards", { project, config }),
  tryGuards: (project, stage, text) => invoke("try_guards", { project, stage, text }),
  setKey: (source, key) => invoke("set_key", { source, key }),
  deleteKey: (source) => invoke("delete_key", { source }),
  listModels: (source) => invoke("list_models", { source }),
  findSources: () => invoke("find_sources"),
  usage: (days) => invoke("usage", { days }),
  goOverBudget: (session, project) => invoke("go_over_budget", { session, project }),
  openLink: (url) => invoke("open_link", { url }),
  projects: () => invoke("projects"),
  openProject: () => invoke("open_project"),
  sessionProject: (id) => invoke("session_project", { id }),
  trustProject: (project) => invoke("trust_project", { project }),
  hooks: () => invoke("hooks"),
  tryHook: (project, id) => invoke("try_hook", { project, id }),
  memories: (project) => invoke("memories", { project }),
  memoriesById: (ids) => invoke("memories_by_id", { ids }),
  switchMemory: (project, to) => invoke("switch_memory", { project, to }),
  editMemory: (id, content) => invoke("edit_memory", { id, content }),
  saveCopy: () => invoke("save_copy"),
  forget: (which) => invoke("forget_memories", { which }),
};

/** The request that Rust put into the confirmation window. */
export function confirmationRequest(): { id: string; request: Confirmation } {
  const { confirmation } = window as unknown as {
    confirmation: { id: string; request: Confirmation };
  };
  return confirmation;
}

/** Answers the request of the confirmation window; no other window may. */
export function answerConfirmation(id: string, answer: ConfirmationAnswer): Promise<void> {
  return invoke("answer_confirmation", { id, answer });
}
