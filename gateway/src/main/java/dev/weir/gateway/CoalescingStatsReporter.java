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
            "Searches that wait for the response of an identical search",
            coalescing::waitingSearches)
        .counter(
            "weir_coalescing_leaders",
            "Searches whose response answered other searches too",
            counts::leaders)
        .counter(
            "weir_coalescing_followers",
            "Searches that joined an identical search",
            counts::followers)
        .counter(
            "weir_coalescing_saved_searches",
            "Searches answered with the response of another one",
            counts::savedSearches)
        .counter(
            "weir_coalescing_follower_limit_misses",
            "Searches that ran because the identical one had enough followers",
            counts::fullCount)
        .counter(
            "weir_coalescing_age_limit_misses",
            "Searches that ran because the identical one had started too long ago",
            counts::tooOldCount)
        .counter(
            "weir_coalescing_restarts",
            "Searches that started themselves because the one that they had joined exceeded its"
                + " deadline",
            counts::restarts);
  }
}
