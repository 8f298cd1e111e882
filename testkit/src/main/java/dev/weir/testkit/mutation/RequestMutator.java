package dev.weir.testkit.mutation;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Changes requests token by token: values and members are removed, repeated, exchanged, replaced by
 * odd ones, nested or cut off; parameters, path segments and the method change too. Confined to one
 * thread.
 */
final class RequestMutator {
  private static final Pattern TOKEN =
      Pattern.compile("\"(?:[^\"\\\\\n]|\\\\.)*\"|[-+\\w.$]+|[{}\\[\\],:\n]|\\s+|.");

  /** Values of other types, and at the edges of their types. */
  private static final List<String> VALUES =
      List.of(
          "null",
          "true",
          "false",
          "0",
          "-1",
          "1.5",
          "2147483647",
          "2147483648",
          "-9223372036854775809",
          "1e400",
          "NaN",
          "\"\"",
          "\"a\"",
          "\"1\"",
          "\"-1\"",
          "\"true\"",
          "\"*\"",
          "\"_all\"",
          "\"none-1\"",
          "\"\\u0000\"",
          "\"\\ud83d\"",
          "\"\u00e9\u4e2d\"",
          "\"2026-01-01||/d\"",
          "{}",
          "[]",
          "[[]]",
          "[null]",
          "[1,\"a\",{}]",
          "{\"a\":1}",
          "{\"match_all\":{}}");

  private static final List<String> PARAMETERS =
      List.of(
          "pretty",
          "human=false",
          "error_trace=true",
          "filter_path=took",
          "filter_path=**",
          "format=yaml",
          "routing=a",
          "routing=",
          "timeout=1ms",
          "timeout=x",
          "version=1",
          "version_type=external",
          "refresh=wait",
          "size=-1",
          "size=100000",
          "from=x",
          "scroll=1m",
          "scroll=0",
          "preference=_shards:0",
          "preference=_nonsense",
          "ignore_unavailable=true",
          "expand_wildcards=none",
          "expand_wildcards=x",
          "allow_no_indices=false",
          "allow_partial_search_results=false",
          "batched_reduce_size=1",
          "batched_reduce_size=2",
          "pre_filter_shard_size=1",
          "rest_total_hits_as_int=true",
          "track_total_hits=7",
          "request_cache=x",
          "ccs_minimize_roundtrips=true",
          "q=(",
          "q=%C3%A9",
          "_source=",
          "stored_fields=n",
          "realtime=false",
          "wait_for_active_shards=9&timeout=1ms",
          "wait_for_active_shards=x",
          "pipeline=none",
          "require_alias=true",
          "op_type=create",
          "nonsense=1",
          "%",
          "=");

  private static final List<String> SEGMENTS =
      List.of(
          "$index",
          "none-1",
          "$index,none-1",
          "$index*",
          "_search",
          "_count",
          "_doc",
          "_source",
          "_mget",
          "_explain",
          "_validate",
          "1",
          "",
          "%20",
          "%2F",
          "%",
          "*",
          "-a",
          "A",
          "_nonsense",
          "%3C$index%3E");

  private static final List<String> READING_METHODS = List.of("GET", "POST", "HEAD");
  private static final int MOST_CHANGES = 4;
  private static final int MOST_DEPTH = 60;

  private final Random random;

  RequestMutator(Random random) {
    this.random = random;
  }

  /**
   * Returns a changed request. Requests that delete or put keep their method and path, so that no
   * change reaches further than the request's own index.
   */
  SeedRequest mutate(SeedRequest seed) {
    String method = seed.method();
    String path = seed.path();
    String body = seed.body();
    boolean isReading = !method.equals("DELETE") && !method.equals("PUT");
    for (int n = 1 + random.nextInt(MOST_CHANGES); n > 0; n--) {
      int kind = random.nextInt(10);
      if (kind == 0) {
        path = mutateParameters(path);
      } else if (kind == 1 && isReading) {
        path = mutateSegments(path);
      } else if (kind == 2 && isReading && random.nextInt(4) == 0) {
        method = pick(READING_METHODS);
      } else if (!body.isEmpty()) {
        body = mutateBody(body);
      } else {
        path = mutateParameters(path);
      }
    }
    return new SeedRequest(method, path, body);
  }

  private String mutateParameters(String path) {
    int question = path.indexOf('?');
    String base = question < 0 ? path : path.substring(0, question);
    List<String> parameters =
        new ArrayList<>(
            question < 0 ? List.of() : List.of(path.substring(question + 1).split("&")));
    int at = random.nextInt(parameters.size() + 1);
    switch (random.nextInt(4)) {
      case 0 -> {
        if (at < parameters.size()) {
          parameters.remove(at);
        }
      }
      case 1 -> {
        if (at < parameters.size()) {
          parameters.add(parameters.get(at));
        }
      }
      case 2 -> {
        if (at < parameters.size()) {
          String name = parameters.get(at).split("=", 2)[0];
          parameters.set(at, name + "=" + pick(List.of("", "true", "0", "-1", "x", "1m", "_all")));
        }
      }
      default -> parameters.add(at, pick(PARAMETERS));
    }
    return parameters.isEmpty() ? base : base + "?" + String.join("&", parameters);
  }

  private String mutateSegments(String path) {
    int question = path.indexOf('?');
    String base = question < 0 ? path : path.substring(0, question);
    List<String> segments = new ArrayList<>(List.of(base.substring(1).split("/", -1)));
    int at = random.nextInt(segments.size());
    switch (random.nextInt(3)) {
      case 0 -> segments.remove(at);
      case 1 -> segments.add(at, pick(SEGMENTS));
      default -> segments.set(at, pick(SEGMENTS));
    }
    return "/" + String.join("/", segments) + (question < 0 ? "" : path.substring(question));
  }

  private String mutateBody(String body) {
    List<String> tokens = new ArrayList<>();
    for (Matcher found = TOKEN.matcher(body); found.find(); ) {
      tokens.add(found.group());
    }
    if (tokens.isEmpty()) {
      return pick(VALUES); // an earlier change left nothing but blanks
    }
    int at = random.nextInt(tokens.size());
    int end = valueEnd(tokens, at);
    switch (random.nextInt(9)) {
      case 0 -> tokens.subList(at, end).clear();
      case 1 -> {
        List<String> copy = List.copyOf(tokens.subList(at, end));
        tokens.addAll(at, List.of(","));
        tokens.addAll(at, copy);
      }
      case 2, 3, 4 -> {
        tokens.subList(at, end).clear();
        tokens.add(at, pick(VALUES));
      }
      case 5 -> {
        int depth = 1 + random.nextInt(MOST_DEPTH);
        boolean isArray = random.nextBoolean();
        tokens.add(end, (isArray ? "]" : "}").repeat(depth));
        tokens.add(at, (isArray ? "[" : "{\"a\":").repeat(depth));
      }
      case 6 -> {
        int other = random.nextInt(tokens.size());
        String one = tokens.get(at);
        tokens.set(at, tokens.get(other));
        tokens.set(other, one);
      }
      case 7 -> tokens.set(at, Character.toString((char) (1 + random.nextInt(300))));
      default -> {
        if (random.nextInt(3) == 0) {
          tokens.subList(at, tokens.size()).clear();
        } else {
          tokens.add(at, "\"" + pick(List.of("a", "_id", "query", "size", "aggs")) + "\":1,");
        }
      }
    }
    return String.join("", tokens);
  }

  /**
   * Returns the end of the value that begins at a token: of its last bracket, or the next token.
   */
  private static int valueEnd(List<String> tokens, int at) {
    int depth = 0;
    for (int i = at; i < tokens.size(); i++) {
      switch (tokens.get(i)) {
        case "{", "[" -> depth++;
        case "}", "]" -> depth--;
        default -> {}
      }
      if (depth <= 0) {
        return i + 1;
      }
    }
    return tokens.size();
  }

  private String pick(List<String> choices) {
    return choices.get(random.nextInt(choices.size()));
  }
}
