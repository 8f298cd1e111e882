package dev.weir.testkit.secured.compare;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Replaces the parts of a response that differ from moment to moment. */
final class ResponseNormalizer {
  private static final String CONTEXT_MISSING = "search_context_missing_exception";
  private static final String INVALID_QUERY = "Failed to parse query [";
  private static final String ALL_FAILED = "all shards failed";
  private static final Pattern REASON = Pattern.compile("\"reason\" ?: ?\"(?:[^\"\\\\]|\\\\.)*\"");
  private static final Pattern FIELDS = Pattern.compile("(\"fields\" ?: ?\\{)([^{}]*)}");
  private static final Pattern BETWEEN_FIELDS = Pattern.compile("(?<=]),(?=\")");
  private static final Pattern CAUSE_OF_SEARCH =
      Pattern.compile(
          "(?<=]),\\s*\"caused_by\"\\s*:\\s*\\{(?:(?!\"(?:status|failed_shards)\").)*}(?=}\\s*,\\s*\"status\")");
  private static final Map<Pattern, String> REPLACEMENTS = replacements();

  private ResponseNormalizer() {}

  private static Map<Pattern, String> replacements() {
    Map<Pattern, String> all = new LinkedHashMap<>();
    String number = "(\"(?:took|creation_time|keep_alive|time_in_nanos|ingest_took)\" ?: ?)\\d+";
    all.put(Pattern.compile(number), "$10");
    String text = "(\"(?:_scroll_id|pit_id|index_uuid|_node|node_id|node)\" ?: ?)\"[^\"]*\"";
    all.put(Pattern.compile(text), "$1\"\"");
    // shards without a match count no background documents if another shard was faster
    all.put(Pattern.compile("(\"doc_count\" ?: ?0, ?\"bg_count\" ?: ?)\\d+"), "$10");
    // nodes before 3.8 leave out the cause of a failed search (docs/versions.md)
    all.put(CAUSE_OF_SEARCH, "");
    // an id that a node or the gateway made up
    all.put(Pattern.compile("(\"_id\" ?: ?)\"[A-Za-z0-9_-]{20}\""), "$1\"\"");
    // each copy of a shard numbers its documents by itself
    all.put(Pattern.compile("(weight\\([^()]* in )\\d+(?=\\) \\[)"), "$10");
    return all;
  }

  static String normalize(String body) {
    if (body.contains(CONTEXT_MISSING)) {
      return CONTEXT_MISSING; // the failures are grouped by the ids of the contexts
    }
    if (body.contains(INVALID_QUERY)) {
      return INVALID_QUERY; // a node names the parser's exceptions of its own shards differently
    }
    if (body.contains(ALL_FAILED)) {
      return reasons(body); // a node repeats causes for shards of other nodes, not for its own
    }
    // with ?pretty, nodes of another release reformat _source (docs/versions.md)
    String normalized = body.startsWith("{\n") ? body.replaceAll("\\s+", "") : body;
    for (Map.Entry<Pattern, String> replacement : REPLACEMENTS.entrySet()) {
      normalized = replacement.getKey().matcher(normalized).replaceAll(replacement.getValue());
    }
    normalized = SignificantTermsOrder.sortEqualScores(normalized);
    return FIELDS.matcher(normalized).replaceAll(ResponseNormalizer::sortFields);
  }

  private static String reasons(String body) {
    return REASON
        .matcher(body)
        .results()
        .map(MatchResult::group)
        .distinct()
        .sorted()
        .toList()
        .toString();
  }

  /** A node writes fields of a hit in another order for its own shards than for others. */
  private static String sortFields(MatchResult fields) {
    String sorted =
        BETWEEN_FIELDS.splitAsStream(fields.group(2)).sorted().collect(Collectors.joining(","));
    return Matcher.quoteReplacement(fields.group(1) + sorted + "}");
  }
}
