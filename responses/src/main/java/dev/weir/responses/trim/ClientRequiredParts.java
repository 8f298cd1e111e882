package dev.weir.responses.trim;

import dev.weir.config.policy.TrimmingPolicy.Part;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * The parts of a search response that known clients require, by User-Agent. No rule drops them for
 * such a client.
 */
final class ClientRequiredParts {
  /** A client: a part of its User-Agent in lower case, and the parts that it reads. */
  private record KnownClient(String agent, Set<Part> requiredParts) {}

  /**
   * Typed clients reject a response without a required field. The others read these fields of every
   * hit, or fail on a response without {@code _shards}.
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

  /** Returns the parts that a client requires; none for an unknown client. */
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
