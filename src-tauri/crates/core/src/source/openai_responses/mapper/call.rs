//! Calls of tools: the caller's own, and those the provider runs itself.
//!
//! Owns when a call begins, how its input is told and what came back. What a call's item says
//! is read in [`shape`]; inputs that come as plain words are put as JSON in [`spelled`]; calls
//! that may be the provider's own wait in [`waiting`].

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::Value;
use weir_protocol::{ExecutedBy, StreamEvent};

use super::open::{At, Item, Key};
use super::{Known, ResponsesMapper};
use crate::source::dialect::json::{some_text, text};
use crate::source::dialect::{Found, ToolUse};

pub(super) use shape::{is_call, is_output};
pub(super) use spelled::Spelled;

mod shape;
mod spelled;
mod waiting;

#[derive(Debug, Default)]
pub(super) struct Call {
    id: String,
    has_begun: bool,
    /// The item of a call that was over when it was announced. Who has run it is not known
    /// before the item ends.
    waiting: Option<Value>,
    input: Input,
    /// A picture on its way: the last sketch of it.
    sketch: Option<Picture>,
}

#[derive(Debug, Default)]
enum Input {
    #[default]
    Untold,
    /// In the words of the source.
    Json,
    Spelled(Spelled),
}

#[derive(Debug)]
struct Picture {
    base64: String,
    media_type: &'static str,
}

impl Picture {
    fn new(base64: String, format: Option<&str>) -> Self {
        let media_type = match format {
            Some("jpeg" | "jpg") => "image/jpeg",
            Some("webp") => "image/webp",
            Some(_) | None => "image/png",
        };
        Self { base64, media_type }
    }

    /// The picture that a call made.
    fn of(whole: &Value) -> Option<Self> {
        if text(whole, "type") != "image_generation_call" {
            return None;
        }
        let base64 = some_text(whole, "result").filter(|base64| !base64.is_empty())?;
        Some(Self::new(base64, whole["output_format"].as_str()))
    }

    fn file(self) -> StreamEvent {
        StreamEvent::File {
            url: format!("data:{};base64,{}", self.media_type, self.base64),
            media_type: self.media_type.to_owned(),
        }
    }
}

/// Every call there was, by its id.
#[derive(Debug, Default)]
pub(super) struct Calls {
    names: HashMap<String, String>,
    /// The last search for tools: its result may name no call.
    last_search: Option<String>,
    is_any_for_weir: bool,
}

impl Calls {
    pub(super) fn is_any_for_weir(&self) -> bool {
        self.is_any_for_weir
    }

    fn knows(&self, item: &Value) -> bool {
        self.names.contains_key(&self.id_of(item))
    }

    /// The id of a call, made up for one that has none.
    fn id_of(&self, item: &Value) -> String {
        let mut given = ["call_id", "id"].into_iter().map(|field| text(item, field));
        if let Some(id) = given.find(|id| !id.is_empty()) {
            return id.to_owned();
        }
        let mut made = (self.names.len()..).map(|number| format!("call_{number}"));
        made.find(|id| !self.names.contains_key(id))
            .unwrap_or_default()
    }
}

impl ResponsesMapper {
    pub(super) fn start_call(&mut self, at: At<'_>, item: &Value, out: &mut Vec<StreamEvent>) {
        if self.calls.knows(item) {
            return;
        }
        let mut call: Item<Call> = self.seen.announce(at, text(item, "type"));
        if shape::is_over(item) {
            call.state.waiting = Some(item.clone());
        } else if shape::begins_early(item) {
            self.begin(&mut call, item, shape::executed_by(item), out);
        }
        self.open_calls.put(call);
    }

    /// Whether this is a call that nobody has heard of, whatever its item is called.
    pub(super) fn is_new_call(&self, item: &Value) -> bool {
        let is_named = !text(item, "call_id").is_empty();
        is_named && is_call(text(item, "type")) && !self.calls.knows(item)
    }

    fn begin(
        &mut self,
        call: &mut Item<Call>,
        item: &Value,
        executed_by: ExecutedBy,
        out: &mut Vec<StreamEvent>,
    ) {
        let tool_call_id = self.calls.id_of(item);
        let name = shape::name(item).to_owned();
        if executed_by == ExecutedBy::Weir {
            self.calls.is_any_for_weir = true;
        }
        if text(item, "type") == "tool_search_call" {
            self.calls.last_search = Some(tool_call_id.clone());
        }
        let names = &mut self.calls.names;
        names.insert(tool_call_id.clone(), name.clone());
        call.state.has_begun = true;
        call.state.id.clone_from(&tool_call_id);
        let call_use = ToolUse {
            tool_call_id,
            name,
            executed_by,
            input: shape::input(item).into_value(),
            detail: shape::detail(item),
        };
        self.blocks.start_tool_use(key(call), call_use, out);
    }

    pub(super) fn add_arguments(
        &mut self,
        at: At<'_>,
        piece: Cow<'_, str>,
        out: &mut Vec<StreamEvent>,
    ) -> Known {
        let Some(call) = self.open_calls.find(at, &self.seen) else {
            return Known::No;
        };
        if call.state.waiting.is_some() {
            self.begin_waiting(at, out);
            return self.add_arguments(at, piece, out);
        }
        let is_empty = piece.is_empty();
        match self.blocks.add_input(&key(call), piece, out) {
            Found::There if is_empty => Known::Yes,
            Found::There => {
                call.state.input = Input::Json;
                Known::Yes
            }
            Found::Missing => Known::No,
        }
    }

    pub(super) fn spell(
        &mut self,
        at: At<'_>,
        spelled: Spelled,
        words: &str,
        out: &mut Vec<StreamEvent>,
    ) -> Known {
        let Some(call) = self.open_calls.find(at, &self.seen) else {
            return Known::No;
        };
        if words.is_empty() {
            return Known::Yes;
        }
        let before = match call.state.input {
            Input::Untold => None,
            Input::Spelled(before) => Some(before),
            Input::Json => return Known::No,
        };
        let json = spelled.piece(before, words);
        match self.blocks.add_input(&key(call), json.into(), out) {
            Found::There => {
                call.state.input = Input::Spelled(spelled);
                Known::Yes
            }
            Found::Missing => Known::No,
        }
    }

    /// The ends of inputs, pictures on their way, and how tools get on.
    pub(super) fn map_call(
        &mut self,
        kind: &str,
        at: At<'_>,
        value: &Value,
        out: &mut Vec<StreamEvent>,
    ) -> Known {
        match kind {
            "response.function_call_arguments.done" | "response.mcp_call_arguments.done" => {
                return self.fill_arguments(at, text(value, "arguments"), out);
            }
            "response.image_generation_call.partial_image" => {
                let call = self.open_calls.find(at, &self.seen);
                let (Some(call), Some(base64)) = (call, some_text(value, "partial_image_b64"))
                else {
                    return Known::No;
                };
                let format = some_text(value, "output_format");
                call.state.sketch = Some(Picture::new(base64, format.as_deref()));
            }
            "response.shell_call_command.added" | "response.shell_call_output_content.done" => {}
            _ => return self.map_progress(kind, at, value, out),
        }
        Known::Yes
    }

    fn map_progress(
        &mut self,
        kind: &str,
        at: At<'_>,
        value: &Value,
        out: &mut Vec<StreamEvent>,
    ) -> Known {
        let nth = value["command_index"].as_u64().unwrap_or_default();
        if let Some(spelled) = Spelled::from_event(kind, nth) {
            let words = ["input", "code", "diff", "command"].map(|field| text(value, field));
            return self.fill_spelled(at, spelled, &words.concat(), out);
        }
        let event = kind.strip_prefix("response.").unwrap_or_default();
        let (tool, state) = event.rsplit_once('.').unwrap_or_default();
        // That a tool is at work, its open block shows already.
        if AT_WORK.contains(&state) && (is_call(tool) || tool == "mcp_list_tools") {
            Known::Yes
        } else {
            Known::No
        }
    }

    /// The whole input: told only if no delta told it.
    fn fill_arguments(&mut self, at: At<'_>, json: &str, out: &mut Vec<StreamEvent>) -> Known {
        match self.open_calls.find(at, &self.seen) {
            Some(call) if matches!(call.state.input, Input::Untold) => {
                self.add_arguments(at, json.into(), out)
            }
            Some(_) => Known::Yes,
            None => self.is_repeat(at),
        }
    }

    fn fill_spelled(
        &mut self,
        at: At<'_>,
        spelled: Spelled,
        words: &str,
        out: &mut Vec<StreamEvent>,
    ) -> Known {
        match self
            .open_calls
            .find(at, &self.seen)
            .map(|call| &call.state.input)
        {
            Some(Input::Untold) => self.spell(at, spelled, words, out),
            Some(Input::Spelled(told)) if *told != spelled => self.spell(at, spelled, words, out),
            Some(Input::Spelled(_) | Input::Json) => Known::Yes,
            None => self.is_repeat(at),
        }
    }

    /// What belongs to no open call is known if it belongs to a closed one.
    fn is_repeat(&self, at: At<'_>) -> Known {
        if self.seen.has(at) {
            Known::Yes
        } else {
            Known::No
        }
    }

    /// An open call, or a new one.
    pub(super) fn end_call(&mut self, at: At<'_>, whole: &Value, out: &mut Vec<StreamEvent>) {
        let open = self.open_calls.take(at, &self.seen);
        let mut call = open.unwrap_or_else(|| self.seen.announce(at, text(whole, "type")));
        if !call.state.has_begun {
            if self.calls.knows(whole) {
                return;
            }
            self.begin(&mut call, whole, shape::executed_by(whole), out);
        }
        self.finish_call(call, whole, out);
    }

    fn finish_call(&mut self, call: Item<Call>, whole: &Value, out: &mut Vec<StreamEvent>) {
        let key = key(&call);
        let input = shape::input(whole);
        let is_text = text(whole, "type") == "custom_tool_call";
        let (rest, whole_input) = match call.state.input {
            Input::Untold => (input.into_json(), Value::Null),
            Input::Json => (None, input.into_value()),
            Input::Spelled(spelled) => {
                let is_whole = spelled.is_text() || text(whole, "status") != "incomplete";
                let rest = is_whole.then(|| spelled.closing(&input.into_value()));
                (rest, Value::Null)
            }
        };
        if let Some(rest) = rest {
            self.blocks.add_input(&key, rest.into(), out);
        }
        self.close_call(key, is_text, whole_input, out);
        out.extend(Picture::of(whole).or(call.state.sketch).map(Picture::file));
        if let Some((result, is_error)) = shape::result(whole) {
            out.push(StreamEvent::ToolResult {
                tool_call_id: call.state.id,
                name: shape::name(whole).to_owned(),
                result,
                is_error,
                detail: shape::detail(whole),
            });
        }
    }

    /// Ends the block of a call. The text of a custom tool may be JSON too; and where the
    /// pieces of an input spell none, the `whole` of it may.
    fn close_call(&mut self, key: Key, is_text: bool, whole: Value, out: &mut Vec<StreamEvent>) {
        let from = out.len();
        self.blocks.close(&key, out);
        if let Some(StreamEvent::ToolUseEnd { input, .. }) = out.get_mut(from)
            && let Value::String(words) = input
        {
            let meant = if is_text {
                serde_json::from_str(words).unwrap_or_default()
            } else {
                whole
            };
            if meant.is_object() || meant.is_array() {
                *input = meant;
            }
        }
    }

    /// What came back from a call that the provider ran, in an item of its own.
    pub(super) fn take_output(
        &mut self,
        kind: &str,
        whole: &Value,
        out: &mut Vec<StreamEvent>,
    ) -> Known {
        let named = some_text(whole, "call_id").filter(|id| !id.is_empty());
        let searched = || match kind {
            "tool_search_output" => self.calls.last_search.clone(),
            _ => None,
        };
        let Some(tool_call_id) = named.or_else(searched) else {
            return Known::No;
        };
        let name = self.calls.names.get(&tool_call_id);
        let name = name.map_or(shape::tool_of_output(kind), String::as_str);
        let (result, is_error) = shape::output(whole);
        out.push(StreamEvent::ToolResult {
            name: name.to_owned(),
            tool_call_id,
            result,
            is_error,
            detail: shape::detail(whole),
        });
        Known::Yes
    }

    /// No more will be heard of these. Inputs stay as unfinished as they are.
    pub(super) fn close_calls(&mut self, out: &mut Vec<StreamEvent>) {
        for mut call in self.open_calls.drain() {
            if let Some(item) = call.state.waiting.take() {
                self.begin(&mut call, &item, shape::executed_by(&item), out);
            }
            let is_text = matches!(call.state.input, Input::Spelled(spelled) if spelled.is_text());
            if is_text {
                let rest = "\"".into();
                self.blocks.add_input(&key(&call), rest, out);
            }
            self.close_call(key(&call), is_text, Value::Null, out);
            out.extend(call.state.sketch.map(Picture::file));
        }
    }
}

const AT_WORK: [&str; 6] = [
    "in_progress",
    "searching",
    "interpreting",
    "generating",
    "completed",
    "failed",
];

fn key(call: &Item<Call>) -> Key {
    (call.number, 0)
}
