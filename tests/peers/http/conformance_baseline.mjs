// What of @modelcontextprotocol/conformance does not apply to this server, and why. A scenario or a single check of one;
// everything else must pass, and what passes although it stands here is an error, too.

const fixture = (what) => `calls ${what} of the suite's own fixture server; this server's are fixed by its contract`;
const notOffered = (what) => `${what} is not offered and not announced`;

export const baseline = {
  'logging-set-level': notOffered('logging'),
  'completion-complete': notOffered('completion'),
  'resources-subscribe': notOffered('subscription'),
  'resources-unsubscribe': notOffered('subscription'),

  'tools-call-simple-text': fixture('the tool test_simple_text'),
  'tools-call-image': fixture('the tool test_image_content'),
  'tools-call-audio': fixture('the tool test_audio_content'),
  'tools-call-embedded-resource': fixture('the tool test_embedded_resource'),
  'tools-call-mixed-content': fixture('the tool test_multiple_content_types'),
  'tools-call-error': fixture('the tool test_error_handling'),
  'tools-call-with-logging': fixture('the tool test_tool_with_logging'),
  'tools-call-with-progress': fixture('the tool test_tool_with_progress'),
  'tools-call-sampling': fixture('the tool test_sampling'),
  'tools-call-elicitation': fixture('the tool test_elicitation'),
  'json-schema-2020-12': fixture('the tool json_schema_2020_12_tool'),
  'resources-read-text': fixture('the resource test://static-text'),
  'resources-read-binary': fixture('the resource test://static-binary'),
  'resources-templates-read': fixture('the resource test://template/123/data'),
  'prompts-get-simple': fixture('a prompt'),
  'prompts-get-with-args': fixture('a prompt'),
  'prompts-get-embedded-resource': fixture('a prompt'),
  'prompts-get-with-image': fixture('a prompt'),
  'elicitation-sep1034-defaults': notOffered('elicitation'),
  'elicitation-sep1330-enums': notOffered('elicitation'),
  'http-custom-header-server-validation': 'no tool mirrors an argument in a header (x-mcp-header is optional)',

  'input-required-result-basic-elicitation': notOffered('asking the client within a call'),
  'input-required-result-basic-sampling': notOffered('asking the client within a call'),
  'input-required-result-basic-list-roots': notOffered('asking the client within a call'),
  'input-required-result-request-state': notOffered('asking the client within a call'),
  'input-required-result-multiple-input-requests': notOffered('asking the client within a call'),
  'input-required-result-multi-round': notOffered('asking the client within a call'),
  'input-required-result-non-tool-request': notOffered('asking the client within a call'),
  'input-required-result-result-type': notOffered('asking the client within a call'),
  'input-required-result-tampered-state': notOffered('asking the client within a call'),
  'input-required-result-capability-check': notOffered('asking the client within a call'),

  'server-stateless:sep-2575-server-rejects-undeclared-capability': fixture('the tool test_missing_capability'),
  'server-stateless:sep-2575-missing-capability-http-400': fixture('the tool test_missing_capability'),
  'server-stateless:sep-2575-http-server-no-independent-requests-on-stream': fixture('the tool test_streaming_elicitation'),
  'server-stateless:sep-2575-server-no-log-without-loglevel': fixture('the tool test_logging_tool'),
};

// In one revision alone.
export const only = {
  '2025-11-25': {
    'server-sse-polling:server-sse-polling-session': 'warns that there is no session; there never is one',
    'server-sse-multiple-streams:server-sse-multiple-streams-session': 'warns that there is no session; there never is one',
  },
  '2026-07-28': {
    // An earlier revision gets an empty list, for clients that ask all the same.
    'prompts-list': notOffered('prompts'),
    'caching:sep-2549-prompts-list-caching-hints': notOffered('prompts'),
    'input-required-result-missing-input-response:sep-2322-missing-response-rerequests': fixture('a tool'),
    'input-required-result-ignore-extra-params:sep-2322-ignore-unexpected-params': fixture('a tool'),
  },
};
