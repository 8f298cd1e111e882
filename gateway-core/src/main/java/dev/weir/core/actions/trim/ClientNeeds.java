package dev.weir.core.actions.trim;

import dev.weir.config.policy.TrimmingPolicy.Part;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * What known clients can't do without in the answer to a search, by what they call themselves: no
 * rule leaves it out for them.
 */
final class ClientNeeds {
  /** One client: a part of its User-Agent in lower case, and what it reads. */
  private record Known(String agent, Set<Part> needs) {}

  /**
   * Typed clients refuse an answer without a required field; the others read these fields of every
   * hit, or fail on an answer without {@code _shards}.
   */
  private static final List<Known> KNOWN =
      List.of(
          new Known("opensearch-java", EnumSet.of(Part.SHARDS, Part.INDEX, Part.ID)),
          new Known("elastic-java", EnumSet.of(Part.SHARDS, Part.INDEX, Part.ID)),
          new Known("opensearch-js", EnumSet.of(Part.SHARDS, Part.INDEX, Part.ID, Part.SORT)),
          new Known("dashboards", EnumSet.of(Part.SHARDS, Part.INDEX, Part.ID, Part.SORT)),
          new Known("grafana", EnumSet.of(Part.HITS, Part.INDEX, Part.ID, Part.SOURCE, Part.SORT)),
          new Known("logstash", EnumSet.of(Part.HITS, Part.INDEX, Part.ID, Part.SOURCE, Part.SORT)),
          new Known(
              "data-prepper",
              EnumSet.of(Part.SHARDS, Part.HITS, Part.INDEX, Part.ID, Part.SOURCE, Part.SORT)));

  private ClientNeeds() {}

  /** What a client needs that calls itself like that; nothing where it is not known. */
  static Set<Part> of(String userAgent) {
    String lower = userAgent.toLowerCase(Locale.ROOT);
    Set<Part> needs = EnumSet.noneOf(Part.class);
    for (Known known : KNOWN) {
      if (lower.contains(known.agent())) {
        needs.addAll(known.needs());
      }
    }
    return needs;
  }
}
