//! A short stream of each dialect: a thought where it has any, a tool, and "Hello, world.".

/// The dialect's name and its frames, one a line.
pub(super) const STREAMS: &[(&str, &str)] = &[
    ("anthropic", ANTHROPIC),
    ("openai-chat", OPENAI_CHAT),
    ("openai-responses", OPENAI_RESPONSES),
    ("gemini", GEMINI),
    ("ollama", OLLAMA),
    ("claude-code", CLAUDE_CODE),
    ("codex", CODEX),
    ("gemini-cli", GEMINI_CLI),
    ("agent-lines", AGENT_LINES),
    ("langchain", LANGCHAIN),
    ("bedrock", BEDROCK),
];

const BEDROCK: &str = r#"
messageStart {"role":"assistant"}
contentBlockDelta {"contentBlockIndex":0,"delta":{"reasoningContent":{"text":"Well."}}}
contentBlockDelta {"contentBlockIndex":0,"delta":{"reasoningContent":{"signature":"seal"}}}
contentBlockStop {"contentBlockIndex":0}
contentBlockDelta {"contentBlockIndex":1,"delta":{"text":"Hello, "}}
contentBlockDelta {"contentBlockIndex":1,"delta":{"text":"world."}}
contentBlockStop {"contentBlockIndex":1}
contentBlockStart {"contentBlockIndex":2,"start":{"toolUse":{"toolUseId":"call_1","name":"look"}}}
contentBlockDelta {"contentBlockIndex":2,"delta":{"toolUse":{"input":"{\"at\":"}}}
contentBlockDelta {"contentBlockIndex":2,"delta":{"toolUse":{"input":"1}"}}}
contentBlockStop {"contentBlockIndex":2}
messageStop {"stopReason":"tool_use"}
metadata {"usage":{"inputTokens":3,"outputTokens":9,"totalTokens":12}}
"#;

const ANTHROPIC: &str = r#"
{"type":"message_start","message":{"id":"msg_1","model":"m","content":[],"usage":{"input_tokens":3,"output_tokens":1}}}
{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":""}}
{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Well."}}
{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"seal"}}
{"type":"content_block_stop","index":0}
{"type":"content_block_start","index":1,"content_block":{"type":"redacted_thinking","data":"sealed"}}
{"type":"content_block_stop","index":1}
{"type":"content_block_start","index":2,"content_block":{"type":"server_tool_use","id":"srv_1","name":"web_search","input":{}}}
{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"query\":\"world\"}"}}
{"type":"content_block_stop","index":2}
{"type":"content_block_start","index":3,"content_block":{"type":"web_search_tool_result","tool_use_id":"srv_1","content":[{"type":"web_search_result","url":"https://a.example","title":"A"}]}}
{"type":"content_block_stop","index":3}
{"type":"content_block_start","index":4,"content_block":{"type":"text","text":""}}
{"type":"content_block_delta","index":4,"delta":{"type":"text_delta","text":"Hello, "}}
{"type":"content_block_delta","index":4,"delta":{"type":"citations_delta","citation":{"type":"web_search_result_location","url":"https://a.example","title":"A","cited_text":"world"}}}
{"type":"content_block_delta","index":4,"delta":{"type":"text_delta","text":"world."}}
{"type":"content_block_stop","index":4}
{"type":"content_block_start","index":5,"content_block":{"type":"tool_use","id":"call_1","name":"look","input":{}}}
{"type":"content_block_delta","index":5,"delta":{"type":"input_json_delta","partial_json":"{\"at\":"}}
{"type":"content_block_delta","index":5,"delta":{"type":"input_json_delta","partial_json":"1}"}}
{"type":"content_block_stop","index":5}
{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":9}}
{"type":"message_stop"}
"#;

const OPENAI_CHAT: &str = r#"
{"id":"c1","model":"m","choices":[{"index":0,"delta":{"role":"assistant","reasoning_content":"Well."}}]}
{"id":"c1","model":"m","choices":[{"index":0,"delta":{"content":"Hello, "}}]}
{"id":"c1","model":"m","choices":[{"index":0,"delta":{"content":"world."}}]}
{"id":"c1","model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"look","arguments":"{\"at\""}}]}}]}
{"id":"c1","model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":":1}"}}]}}]}
{"id":"c1","model":"m","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}
{"id":"c1","model":"m","choices":[],"usage":{"prompt_tokens":3,"completion_tokens":9,"total_tokens":12}}
[DONE]
"#;

const OPENAI_RESPONSES: &str = r#"
{"type":"response.created","response":{"id":"resp_1","model":"m","status":"in_progress","output":[]}}
{"type":"response.output_item.added","output_index":0,"item":{"id":"rs_1","type":"reasoning","summary":[]}}
{"type":"response.reasoning_summary_part.added","item_id":"rs_1","output_index":0,"summary_index":0,"part":{"type":"summary_text","text":""}}
{"type":"response.reasoning_summary_text.delta","item_id":"rs_1","output_index":0,"summary_index":0,"delta":"Well."}
{"type":"response.reasoning_summary_text.done","item_id":"rs_1","output_index":0,"summary_index":0,"text":"Well."}
{"type":"response.reasoning_summary_part.done","item_id":"rs_1","output_index":0,"summary_index":0,"part":{"type":"summary_text","text":"Well."}}
{"type":"response.output_item.done","output_index":0,"item":{"id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","text":"Well."}]}}
{"type":"response.output_item.added","output_index":1,"item":{"id":"m_1","type":"message","role":"assistant","status":"in_progress","content":[]}}
{"type":"response.content_part.added","item_id":"m_1","output_index":1,"content_index":0,"part":{"type":"output_text","text":"","annotations":[]}}
{"type":"response.output_text.delta","item_id":"m_1","output_index":1,"content_index":0,"delta":"Hello, "}
{"type":"response.output_text.delta","item_id":"m_1","output_index":1,"content_index":0,"delta":"world."}
{"type":"response.output_text.done","item_id":"m_1","output_index":1,"content_index":0,"text":"Hello, world."}
{"type":"response.content_part.done","item_id":"m_1","output_index":1,"content_index":0,"part":{"type":"output_text","text":"Hello, world.","annotations":[]}}
{"type":"response.output_item.done","output_index":1,"item":{"id":"m_1","type":"message","role":"assistant","status":"completed","content":[{"type":"output_text","text":"Hello, world.","annotations":[]}]}}
{"type":"response.output_item.added","output_index":2,"item":{"id":"fc_1","type":"function_call","call_id":"call_1","name":"look","arguments":"","status":"in_progress"}}
{"type":"response.function_call_arguments.delta","item_id":"fc_1","output_index":2,"delta":"{\"at\":1}"}
{"type":"response.function_call_arguments.done","item_id":"fc_1","output_index":2,"arguments":"{\"at\":1}"}
{"type":"response.output_item.done","output_index":2,"item":{"id":"fc_1","type":"function_call","call_id":"call_1","name":"look","arguments":"{\"at\":1}","status":"completed"}}
{"type":"response.completed","response":{"id":"resp_1","model":"m","status":"completed","output":[],"usage":{"input_tokens":3,"output_tokens":9,"total_tokens":12}}}
"#;

const GEMINI: &str = r#"
{"candidates":[{"index":0,"content":{"role":"model","parts":[{"text":"Well.","thought":true}]}}],"modelVersion":"m","responseId":"r1"}
{"candidates":[{"index":0,"content":{"role":"model","parts":[{"text":"Hello, "}]}}],"modelVersion":"m","responseId":"r1"}
{"candidates":[{"index":0,"content":{"role":"model","parts":[{"text":"world."}]}}],"modelVersion":"m","responseId":"r1"}
{"candidates":[{"index":0,"content":{"role":"model","parts":[{"inlineData":{"mimeType":"image/png","data":"AA=="}}]}}],"modelVersion":"m","responseId":"r1"}
{"candidates":[{"index":0,"content":{"role":"model","parts":[{"functionCall":{"name":"look","args":{"at":1}},"thoughtSignature":"seal"}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":9,"totalTokenCount":12},"modelVersion":"m","responseId":"r1"}
"#;

const OLLAMA: &str = r#"
{"model":"m","message":{"role":"assistant","content":"","thinking":"Well."},"done":false}
{"model":"m","message":{"role":"assistant","content":"Hello, "},"done":false}
{"model":"m","message":{"role":"assistant","content":"world."},"done":false}
{"model":"m","message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"look","arguments":{"at":1}}}]},"done":false}
{"model":"m","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","prompt_eval_count":3,"eval_count":9}
"#;

const CLAUDE_CODE: &str = r#"
{"type":"system","subtype":"init","session_id":"s1","model":"m","tools":["Read"]}
{"type":"assistant","session_id":"s1","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[{"type":"thinking","thinking":"Well.","signature":"seal"}],"usage":{"input_tokens":3,"output_tokens":1}}}
{"type":"assistant","session_id":"s1","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[{"type":"tool_use","id":"call_1","name":"Read","input":{"file_path":"a"}}],"usage":{"input_tokens":3,"output_tokens":5}}}
{"type":"user","session_id":"s1","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_1","content":"world"}]}}
{"type":"assistant","session_id":"s1","message":{"id":"msg_2","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"Hello, world."}],"usage":{"input_tokens":9,"output_tokens":4}}}
{"type":"result","subtype":"success","is_error":false,"session_id":"s1","duration_ms":5,"num_turns":2,"total_cost_usd":0.01,"result":"Hello, world.","usage":{"input_tokens":12,"output_tokens":9}}
"#;

const CODEX: &str = r#"
{"type":"thread.started","thread_id":"t1"}
{"type":"turn.started"}
{"type":"item.completed","item":{"id":"item_0","type":"reasoning","text":"Well."}}
{"type":"item.started","item":{"id":"item_1","type":"command_execution","command":"ls","aggregated_output":"","exit_code":null,"status":"in_progress"}}
{"type":"item.completed","item":{"id":"item_1","type":"command_execution","command":"ls","aggregated_output":"world\n","exit_code":0,"status":"completed"}}
{"type":"item.completed","item":{"id":"item_2","type":"agent_message","text":"Hello, world."}}
{"type":"turn.completed","usage":{"input_tokens":3,"cached_input_tokens":0,"output_tokens":9}}
"#;

const GEMINI_CLI: &str = r#"
{"type":"init","session_id":"s1","model":"m"}
{"type":"message","role":"user","content":"Why?"}
{"type":"tool_use","tool_name":"read_file","tool_id":"call_1","parameters":{"path":"a"}}
{"type":"tool_result","tool_id":"call_1","status":"success","output":"world"}
{"type":"message","role":"assistant","content":"Hello, ","delta":true}
{"type":"message","role":"assistant","content":"world.","delta":true}
{"type":"result","status":"success","stats":{"total_tokens":12,"input_tokens":3,"output_tokens":9,"cached":0,"duration_ms":5,"tool_calls":1}}
"#;

const AGENT_LINES: &str = r#"
{"type":"start","data":{"prompt_preview":"Why?"}}
{"type":"status","data":{"message":"Starting"}}
{"type":"todo_create","data":{"items":[{"content":"Look","status":"pending"}]}}
{"type":"subagent_start","data":{"agent":"researcher","task":"Look"}}
{"type":"search","data":{"id":"call_1","query":"world"}}
{"type":"search_result","data":{"id":"call_1","count":1,"results":[{"title":"A","url":"https://a.example"}]}}
{"type":"think","data":{"id":"think_1","thought":"Well."}}
{"type":"subagent_complete","data":{"agent":"researcher","summary":"Found"}}
{"type":"todo_done","data":{"content":"Look","status":"completed"}}
{"type":"status","data":{"message":"Writing"}}
{"type":"text","data":{"content":"Hello, "}}
{"type":"text","data":{"content":"world."}}
{"type":"usage","data":{"input_tokens":3,"output_tokens":9}}
{"type":"usage_total","data":{"input_tokens":6,"output_tokens":18}}
{"type":"result","data":{"duration_ms":5,"num_turns":2}}
{"type":"done","data":{}}
"#;

const LANGCHAIN: &str = r#"
{"event":"on_chain_start","run_id":"r0","parent_ids":[],"name":"agent","data":{}}
{"event":"on_chat_model_start","run_id":"r1","parent_ids":["r0"],"name":"m","data":{}}
{"event":"on_chat_model_stream","run_id":"r1","parent_ids":["r0"],"name":"m","data":{"chunk":{"id":"run-1","content":"","tool_call_chunks":[{"index":0,"id":"call_1","name":"look","args":"{\"at\":1}"}]}}}
{"event":"on_chat_model_end","run_id":"r1","parent_ids":["r0"],"name":"m","data":{"output":{"id":"run-1","content":"","tool_calls":[{"id":"call_1","name":"look","args":{"at":1}}],"usage_metadata":{"input_tokens":3,"output_tokens":9,"total_tokens":12}}}}
{"event":"on_tool_start","run_id":"r2","parent_ids":["r0"],"name":"look","data":{"input":{"at":1}}}
{"event":"on_tool_end","run_id":"r2","parent_ids":["r0"],"name":"look","data":{"input":{"at":1},"output":{"content":"world","name":"look","tool_call_id":"call_1","status":"success"}}}
{"event":"on_chat_model_start","run_id":"r3","parent_ids":["r0"],"name":"m","data":{}}
{"event":"on_chat_model_stream","run_id":"r3","parent_ids":["r0"],"name":"m","data":{"chunk":{"id":"run-3","content":"Hello, "}}}
{"event":"on_chat_model_stream","run_id":"r3","parent_ids":["r0"],"name":"m","data":{"chunk":{"id":"run-3","content":"world."}}}
{"event":"on_chat_model_end","run_id":"r3","parent_ids":["r0"],"name":"m","data":{"output":{"id":"run-3","content":"Hello, world.","usage_metadata":{"input_tokens":12,"output_tokens":4,"total_tokens":16}}}}
{"event":"on_chain_end","run_id":"r0","parent_ids":[],"name":"agent","data":{"output":{}}}
"#;
