package dev.weir.config.policy;

import java.time.Duration;
import java.util.List;

/** Which indices a search may skip because its time range can't match them. */
public record TimePruningPolicy(
    @ConfigKey(
            value = "",
            max = "100",
            doc =
                "Indices, by names or patterns such as logs-*, that the gateway may leave out of"
                    + " searches by time. It learns the earliest and the latest time of those that"
                    + " have a write block, and refreshes them for it. Of the others it learns the"
                    + " times of each copy on nodes with Weir's plugin. A data stream's name stands"
                    + " for its backing indices. Empty: none.")
        List<String> indices,
    @ConfigKey(
            value = "",
            max = "4",
            doc = "Date fields by which searches filter. Empty: @timestamp.")
        List<String> dateFields,
    @ConfigKey(
            value = "2000",
            min = "1",
            max = "20000",
            doc =
                "Indices whose time range the gateway keeps, about 1 KB of heap each. As many"
                    + " indices that take writes, about 0.5 KB for each copy of a shard.")
        int maxIndices,
    @ConfigKey(
            value = "100ms",
            min = "0ms",
            max = "1h",
            doc =
                "Pause between two indices while the gateway learns their time ranges. Raise it"
                    + " where learning disturbs the nodes.")
        Duration learningDelay) {

  /** Returns a policy that skips no index. */
  public static TimePruningPolicy none() {
    return new TimePruningPolicy(List.of(), List.of(), 1, Duration.ZERO);
  }

  /** Returns whether the gateway learns the time ranges of any indices. */
  public boolean isEnabled() {
    return !indices.isEmpty();
  }

  /** Returns the date fields to consider. */
  public List<String> effectiveDateFields() {
    return dateFields.isEmpty() ? List.of("@timestamp") : dateFields;
  }
}
