//! The mapping tables of the frameworks, row by row.

use super::cases;

macro_rules! rows {
    ($($row:ident: $case:ident,)*) => {
        $(#[test]
        fn $row() {
            super::cases::$case().check();
        })*
    };
}

mod claude {
    rows! {
        message_start: message_start,
        content_block_start_text: content_block_start_text,
        content_block_delta_text_delta: content_block_delta_text_delta,
        content_block_stop: content_block_stop,
        content_block_start_thinking: content_block_start_thinking,
        content_block_delta_thinking_delta: content_block_delta_thinking_delta,
        content_block_start_tool_use: content_block_start_tool_use,
        content_block_delta_input_json_delta: content_block_delta_input_json_delta,
        content_block_stop_tool: content_block_stop_tool,
        message_delta_usage: message_delta_usage,
        message_stop: message_stop,
        error: error_of_claude,
        start_simplified: start,
        status: status,
        text: text,
        thinking: thinking,
        think: think,
        tool_use: tool_use,
        tool_result: tool_result,
        todo_create: todo_create,
        todo_update: todo_update,
        subagent_spawn: subagent_spawn,
        result: result,
        done: done_ends_the_stream,
        todo_write_tool: todo_write_tool,
        task_tool: task_tool,
    }
}

mod deepagents {
    rows! {
        start: start,
        status: status,
        text: text,
        thinking: thinking,
        think: think,
        todos_and_todo_create: todo_create,
        todo_update: todo_update,
        todo_done: todo_done,
        subagent_start: subagent_start,
        subagent_complete: subagent_complete,
        search: search,
        search_result: search_result,
        tool_use: tool_use,
        tool_result: tool_result,
        usage: usage_of_a_request,
        usage_total: usage_total,
        result: result,
        error: error,
        done: done_ends_the_stream,
    }
}

mod shared_events {
    rows! {
        start: start,
        status: status,
        text: text,
        thinking: thinking,
        think: think,
        tool_use: tool_use,
        tool_result: tool_result,
        error: error,
        done: done_ends_the_stream,
    }
}

mod deepagents_only {
    rows! {
        subagent_start: subagent_start,
        subagent_complete: subagent_complete,
        search: search,
        search_result: search_result,
        todos_and_todo_create: todo_create,
        todo_update: todo_update,
        todo_done: todo_done,
        tool_call_start: tool_call_start,
        usage: usage_of_a_request,
        usage_total: usage_total,
    }
}

mod claude_only {
    rows! {
        message_start: message_start,
        content_block_start_text: content_block_start_text,
        content_block_start_thinking: content_block_start_thinking,
        content_block_start_tool_use: content_block_start_tool_use,
        content_block_delta_text: content_block_delta_text_delta,
        content_block_delta_thinking: content_block_delta_thinking_delta,
        content_block_delta_tool_use: content_block_delta_input_json_delta,
        content_block_stop: content_block_stop_tool,
        message_delta: message_delta_usage,
        message_stop: message_stop,
    }
}

mod openai {
    rows! {
        start: start_with_model,
        delta: delta,
        tool_call: tool_call,
        tool_result: tool_result_by_id,
        done: done_with_usage,
    }
}

mod gemini {
    rows! {
        start: start_with_model,
        content: content,
        function_call: function_call_makes_its_id,
        function_response: function_response,
        done: done_with_usage_of_gemini,
    }
}

mod parser_and_formatter {
    rows! {
        status: status,
        todos_and_todo_create: todo_create,
        todo_update: todo_update,
        todo_done: todo_done,
        think: think,
        thinking: thinking,
        subagent_start: subagent_start,
        subagent_complete: subagent_complete,
        text: text,
    }
}
