package dev.weir.gateway;

import dev.weir.gateway.coalesce.Coalescing;
import dev.weir.gateway.coalesce.CoalescingCounts;
import dev.weir.observe.Figures;
import java.util.LinkedHashMap;
import java.util.Map;

/** How many searches shared an answer, for operators. */
final class CoalescingFigures {
  private CoalescingFigures() {}

  static Map<String, Object> stats(Coalescing coalescing) {
    CoalescingCounts counts = coalescing.counts();
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("waiting", coalescing.waiting());
    shown.put("leaders", counts.leaders());
    shown.put("followers", counts.followers());
    shown.put("saved_searches", counts.savedSearches());
    shown.put("not_joined_full", counts.fullLeaders());
    shown.put("not_joined_old", counts.oldLeaders());
    shown.put("begun_anew", counts.begunAnew());
    return shown;
  }

  static void bind(Coalescing coalescing, Figures metrics) {
    CoalescingCounts counts = coalescing.counts();
    metrics
        .gauge(
            "weir_coalescing_waiting",
            "Searches that wait for the answer of an identical one",
            coalescing::waiting)
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
            "weir_coalescing_full",
            "Searches that ran too, for later ones to join, as an identical one had enough"
                + " followers",
            counts::fullLeaders)
        .counter(
            "weir_coalescing_old",
            "Searches that ran too, for later ones to join, as an identical one had begun too long"
                + " ago",
            counts::oldLeaders)
        .counter(
            "weir_coalescing_begun_anew",
            "Searches that began anew because the deadline of the one they had joined had passed",
            counts::begunAnew);
  }
}
