// The entry of the confirmation window. Rust has put the request into the page before anything
// else ran; the page's only command is to answer it.

import "../design/index.css";
import { createRoot } from "react-dom/client";
import type { ConfirmationAnswer } from "../host/protocol";
import { answerConfirmation, confirmationRequest } from "../host/tauri";
import { ConfirmationView } from "./confirmation";

const root = document.getElementById("root");
if (!root) throw new Error("confirm.html has no root element.");
const { id, request } = confirmationRequest();
const answer = (given: ConfirmationAnswer) => answerConfirmation(id, given);
createRoot(root).render(<ConfirmationView request={request} onAnswer={answer} />);
