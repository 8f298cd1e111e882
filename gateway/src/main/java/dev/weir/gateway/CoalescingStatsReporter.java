package dev.weir.gateway;

import dev.weir.gateway.coalesce.CoalescingCounters;
import dev.weir.gateway.coalesce.SearchCoalescer;
import dev.weir.observe.MetricRegistry;
import java.util.LinkedHashMap;
import java.util.Map;

/** How many searches shared an answer, for operators. */
final class CoalescingStatsReporter {
  private CoalescingStatsReporter() {}

  static Map<String, Object> toMap(SearchCoalescer coalescing) {
    CoalescingCounters counts = coalescing.counts();
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("waiting_searches", coalescing.waitingSearches());
    shown.put("leaders", counts.leaders());
    shown.put("followers", counts.followers());
    shown.put("saved_searches", counts.savedSearches());
    shown.put("follower_limit_misses", counts.fullCount());
    shown.put("age_limit_misses", counts.tooOldCount());
    shown.put("restarts", counts.restarts());
    return shown;
  }

  static void bind(SearchCoalescer coalescing, MetricRegistry metrics) {
    CoalescingCounters counts = coalescing.counts();
    metrics
        .gauge(
            "weir_coalescing_waiting_searches",
            "Searches that wait for the answer of an identical one",
            coalescing::waitingSearches)
        .counter(
            "weir_coalescing_leaders",
            "Searches whose answer was the answer to others too",
            counts::leaders)
        .counter(
            "weir_coalescing_followers",
            "Searches that joined an identical one that was under way",
            counts::followers)
        .counter(
            "weir_coalescing_saved_searches",
            "Searches that were answered with another's answer",
            counts::savedSearches)
        .counter(
            "weir_coalescing_follower_limit_misses",
            "Searches that ran too, for later ones to join, as an identical one had enough"
                + " followers",
            counts::fullCount)
        .counter(
            "weir_coalescing_age_limit_misses",
            "Searches that ran too, for later ones to join, as an identical one had begun too long"
                + " ago",
            counts::tooOldCount)
        .counter(
            "weir_coalescing_restarts",
            "Searches that began anew because the deadline of the one they had joined had passed",
            counts::restarts);
  }
}
