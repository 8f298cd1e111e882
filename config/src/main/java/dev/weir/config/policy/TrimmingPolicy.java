package dev.weir.config.policy;

import java.util.List;
import java.util.Map;

/** What is left out of the answers to searches, and for whom. */
public record TrimmingPolicy(
    @ConfigKey(
            value = "",
            max = "100",
            doc =
                "What can be left out, by names that requests and rules give: {lean: {drop:"
                    + " [shards, index, score], source-includes: [title]}}. drop: of shards,"
                    + " max-score, hits, index, id, score, source, sort, nulls. source-includes,"
                    + " source-excludes: as the parameters _source_includes and _source_excludes,"
                    + " for requests that say nothing of _source.")
        Map<String, Profile> profiles,
    @ConfigKey(
            value = "",
            max = "100",
            doc =
                "Whose searches are trimmed that do not say trim=...; the first that matches"
                    + " counts.")
        List<Rule> rules) {

  /** Nothing is left out. */
  public static TrimmingPolicy none() {
    return new TrimmingPolicy(Map.of(), List.of());
  }

  /** A part of the answer to a search. */
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
    /** Members of documents that are null; {@code _score} and {@code max_score} that are null. */
    NULLS
  }

  /** What is left out together. */
  public record Profile(
      @ConfigKey(
              value = "",
              max = "9",
              doc = "Of shards, max-score, hits, index, id, score, source, sort, nulls.")
          List<Part> drop,
      @ConfigKey(value = "", max = "1000", doc = "As the parameter _source_includes.")
          List<String> sourceIncludes,
      @ConfigKey(value = "", max = "1000", doc = "As the parameter _source_excludes.")
          List<String> sourceExcludes) {}

  /** Whose searches are trimmed. All that is given must match. */
  public record Rule(
      @ConfigKey(doc = "The profile.") String profile,
      @ConfigKey(
              value = "",
              max = "100",
              doc =
                  "What User-Agent must be, such as my-app/*. Empty: anything, but only where"
                      + " tenants are given.")
          List<String> userAgents,
      @ConfigKey(
              value = "",
              max = "1000",
              doc =
                  "Whose requests, by names or patterns such as gold-*. Empty: everybody's, but"
                      + " only where user-agents are given.")
          List<String> tenants,
      @ConfigKey(
              value = "",
              max = "100",
              doc =
                  "Searches all of whose indices, as the request names them, match one of these,"
                      + " such as logs-*. Empty: all searches.")
          List<String> indices) {}
}
