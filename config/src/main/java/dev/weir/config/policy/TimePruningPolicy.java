package dev.weir.config.policy;

import java.time.Duration;
import java.util.List;

/** Which indices are left out of searches that ask for a time in which they have nothing. */
public record TimePruningPolicy(
    @ConfigKey(
            value = "",
            max = "100",
            doc =
                "Indices, by names or patterns such as logs-*, of which the gateway learns the"
                    + " earliest and the latest time while a block keeps writes from them; a data"
                    + " stream's name stands for its indices. Learning refreshes them. Empty:"
                    + " none.")
        List<String> indices,
    @ConfigKey(
            value = "",
            max = "4",
            doc = "Date fields that searches ask for times by. Empty: @timestamp.")
        List<String> dateFields,
    @ConfigKey(
            value = "2000",
            min = "1",
            max = "20000",
            doc = "So many indices are learned at most, about 1 KB of the heap each.")
        int maxIndices,
    @ConfigKey(
            value = "100ms",
            min = "0ms",
            max = "1h",
            doc = "The pause after each index that was learned.")
        Duration learningDelay) {

  /** Nothing is left out. */
  public static TimePruningPolicy none() {
    return new TimePruningPolicy(List.of(), List.of(), 1, Duration.ZERO);
  }

  /** Whether anything is learned. */
  public boolean isEnabled() {
    return !indices.isEmpty();
  }

  /** The fields that count. */
  public List<String> effectiveDateFields() {
    return dateFields.isEmpty() ? List.of("@timestamp") : dateFields;
  }
}
