package dev.weir.responses.trim;

import dev.weir.config.policy.TrimmingPolicy.Part;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * What known clients can't do without in the answer to a search, by what they call themselves: no
 * rule leaves it out for them.
 */
final class ClientRequiredParts {
  /** One client: a part of its User-Agent in lower case, and what it reads. */
  private record KnownClient(String agent, Set<Part> requiredParts) {}

  /**
   * Typed clients refuse an answer without a required field; the others read these fields of every
   * hit, or fail on an answer without {@code _shards}.
   */
  private static final List<KnownClient> KNOWN_CLIENTS =
      List.of(
          new KnownClient("opensearch-java", EnumSet.of(Part.SHARDS, Part.INDEX, Part.ID)),
          new KnownClient("elastic-java", EnumSet.of(Part.SHARDS, Part.INDEX, Part.ID)),
          new KnownClient("opensearch-js", EnumSet.of(Part.SHARDS, Part.INDEX, Part.ID, Part.SORT)),
          new KnownClient("dashboards", EnumSet.of(Part.SHARDS, Part.INDEX, Part.ID, Part.SORT)),
          new KnownClient(
              "grafana", EnumSet.of(Part.HITS, Part.INDEX, Part.ID, Part.SOURCE, Part.SORT)),
          new KnownClient(
              "logstash", EnumSet.of(Part.HITS, Part.INDEX, Part.ID, Part.SOURCE, Part.SORT)),
          new KnownClient(
              "data-prepper",
              EnumSet.of(Part.SHARDS, Part.HITS, Part.INDEX, Part.ID, Part.SOURCE, Part.SORT)));

  private ClientRequiredParts() {}

  /** What a client needs that calls itself like that; nothing where it is not known. */
  static Set<Part> requiredParts(String userAgent) {
    String lower = userAgent.toLowerCase(Locale.ROOT);
    Set<Part> needs = EnumSet.noneOf(Part.class);
    for (KnownClient known : KNOWN_CLIENTS) {
      if (lower.contains(known.agent())) {
        needs.addAll(known.requiredParts());
      }
    }
    return needs;
  }
}
