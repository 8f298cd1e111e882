package dev.weir.gateway.coalesce;

import dev.weir.observe.MetricRegistry;
import dev.weir.observe.StatsReporter;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Reports how many searches shared a response: the section {@code coalescing} of {@code /stats},
 * and its metrics.
 */
public record CoalescingStatsReporter(SearchCoalescer coalescing) implements StatsReporter {

  @Override
  public Map<String, Object> sections() {
    CoalescingCounters counts = coalescing.counts();
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("waiting_searches", coalescing.waitingSearches());
    shown.put("leaders", counts.leaders());
    shown.put("followers", counts.followers());
    shown.put("saved_searches", counts.savedSearches());
    shown.put("follower_limit_misses", counts.fullCount());
    shown.put("age_limit_misses", counts.tooOldCount());
    shown.put("restarts", counts.restarts());
    return Map.of("coalescing", shown);
  }

  @Override
  public void bind(MetricRegistry metrics) {
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
