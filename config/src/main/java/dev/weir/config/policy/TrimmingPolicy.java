package dev.weir.config.policy;

import java.util.List;
import java.util.Map;

/** Which parts search responses leave out, and for which clients. */
public record TrimmingPolicy(
    @ConfigKey(
            value = "",
            max = "100",
            doc =
                "What the gateway can leave out of search responses, by names that requests"
                    + " (trim=NAME) and rules give: {lean: {drop: [shards, index, score],"
                    + " source-includes: [title]}}.")
        Map<String, Profile> profiles,
    @ConfigKey(
            value = "",
            max = "100",
            doc =
                "Which searches without trim=... are trimmed. The first rule that matches applies.")
        List<Rule> rules) {

  /** Returns a policy that leaves out nothing. */
  public static TrimmingPolicy none() {
    return new TrimmingPolicy(Map.of(), List.of());
  }

  /** A part of a search response. */
  public enum Part {
    /** {@code _shards}, unless a shard failed. */
    SHARDS,
    /** {@code hits.max_score}. */
    MAX_SCORE,
    /** All of {@code hits.hits}: the array is empty. */
    HITS,
    /** {@code _index} of hits. */
    INDEX,
    /** {@code _id} of hits. */
    ID,
    /** {@code _score} of hits. */
    SCORE,
    /** {@code _source} of hits. */
    SOURCE,
    /** {@code sort} of hits. */
    SORT,
    /**
     * Members of documents with the value null; {@code _score} and {@code max_score} with the value
     * null.
     */
    NULLS
  }

  /** Parts that are left out together. */
  public record Profile(
      @ConfigKey(
              value = "",
              max = "9",
              doc =
                  "Parts to leave out: shards, max-score, hits, index, id, score, source, sort,"
                      + " nulls.")
          List<Part> drop,
      @ConfigKey(
              value = "",
              max = "1000",
              doc =
                  "Fields of _source to return, like the parameter _source_includes. Ignored for"
                      + " requests that say anything about _source.")
          List<String> sourceIncludes,
      @ConfigKey(
              value = "",
              max = "1000",
              doc =
                  "Fields of _source to leave out, like the parameter _source_excludes. Ignored for"
                      + " requests that say anything about _source.")
          List<String> sourceExcludes) {}

  /** Which searches are trimmed. All given conditions must match. */
  public record Rule(
      @ConfigKey(doc = "Name of the profile to apply.") String profile,
      @ConfigKey(
              value = "",
              max = "100",
              doc =
                  "Match these User-Agent headers, such as my-app/*. Empty: any; tenants is then"
                      + " needed.")
          List<String> userAgents,
      @ConfigKey(
              value = "",
              max = "1000",
              doc =
                  "Match these tenants: names, or patterns such as gold-*. Empty: any; user-agents"
                      + " is then needed.")
          List<String> tenants,
      @ConfigKey(
              value = "",
              max = "100",
              doc =
                  "Match searches all of whose indices, as the request names them, match one of"
                      + " these patterns, such as logs-*. Empty: all searches.")
          List<String> indices) {}
}
