package dev.weir.testkit.compare;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.opensearch.common.xcontent.XContentType;

/** What follows {@code --} in a corpus. */
final class StepOptions {
  private ComparisonStep.Mode mode = ComparisonStep.Mode.COMPARED;
  private boolean raw;
  private boolean bare;
  private boolean escaped;
  private @Nullable XContentType format;
  private final List<PathPattern> ignored = new ArrayList<>();
  private final List<PathPattern> unordered = new ArrayList<>();
  private final List<String> ignoredHeaders = new ArrayList<>();
  private final Map<String, PathPattern> captures = new LinkedHashMap<>();

  private StepOptions() {}

  static StepOptions parse(String text) {
    StepOptions options = new StepOptions();
    for (String word : text.split("\\s+")) {
      if (!word.isEmpty()) {
        options.add(word);
      }
    }
    return options;
  }

  private void add(String word) {
    int equals = word.indexOf('=');
    String key = equals < 0 ? word : word.substring(0, equals);
    String value = equals < 0 ? "" : word.substring(equals + 1);
    switch (key) {
      case "once" -> mode = ComparisonStep.Mode.SENT_ONCE;
      case "both" -> mode = ComparisonStep.Mode.SENT_TO_BOTH;
      case "raw" -> raw = true;
      case "bare" -> bare = true;
      case "escaped" -> escaped = true;
      case "as" -> format = BodyFormats.forName(value);
      case "ignore" -> ignored.add(PathPattern.of(value));
      case "unordered" -> unordered.add(PathPattern.of(value));
      case "ignore-header" -> ignoredHeaders.add(value.toLowerCase(Locale.ROOT));
      case "capture" -> addCapture(value);
      default ->
          throw new IllegalArgumentException(
              "got the option ["
                  + word
                  + "] (expected: once, both, raw, bare, escaped, as=, ignore=, unordered=,"
                  + " ignore-header= or capture=)");
    }
  }

  private void addCapture(String value) {
    int colon = value.indexOf(':');
    if (colon <= 0) {
      throw new IllegalArgumentException(
          "got capture=[" + value + "] (expected: capture=NAME:PATH)");
    }
    captures.put(value.substring(0, colon), PathPattern.of(value.substring(colon + 1)));
  }

  boolean raw() {
    return raw;
  }

  /** Whether the body is written with escapes. */
  boolean escaped() {
    return escaped;
  }

  RequestTemplate.Encoding extras() {
    return new RequestTemplate.Encoding(bare, format);
  }

  /** The content type of a body that names none. */
  String contentType(boolean lines) {
    if (format != null) {
      return format.mediaTypeWithoutParameters();
    }
    return lines ? "application/x-ndjson" : "application/json";
  }

  ComparisonStep step(String place, RequestTemplate request) {
    return new ComparisonStep(
        place, request, mode, new ComparisonMasks(ignored, unordered), ignoredHeaders, captures);
  }
}
