package dev.weir.config.load;

import dev.weir.config.policy.TracesPolicy;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** Checks the keys of traces beyond the checks of single keys. */
final class TracesPolicyValidator {
  private static final String PATH = "observability.traces.";
  private static final Pattern TOKEN = Pattern.compile("[A-Za-z0-9!#$%&'*+.^_`|~-]+");

  /** Headers that the HTTP client of the exporter sets itself. */
  private static final Set<String> RESERVED_HEADERS =
      Set.of("connection", "content-length", "content-type", "expect", "host", "upgrade");

  private TracesPolicyValidator() {}

  static void validate(TracesPolicy policy, SectionBinder binder) {
    if (!NameRules.isHttpUrl(policy.endpoint())) {
      binder.report(
          PATH + "endpoint",
          "got '"
              + policy.endpoint()
              + "' (expected: a URL such as http://127.0.0.1:4318/v1/traces)");
    }
    if (policy.serviceName().isBlank()) {
      binder.report(PATH + "service-name", "got none (expected: a name)");
    }
    for (Map.Entry<String, String> header : policy.headers().entrySet()) {
      String path = PATH + "headers." + header.getKey();
      if (!TOKEN.matcher(header.getKey()).matches()
          || RESERVED_HEADERS.contains(header.getKey().toLowerCase(Locale.ROOT))) {
        binder.report(path, "got a name that can't be sent (expected: such as Authorization)");
      } else if (header.getValue().chars().anyMatch(c -> c < ' ' || c > '~')) {
        binder.report(
            path, "got a value that can't be sent (expected: one line of ASCII characters)");
      }
    }
  }
}
