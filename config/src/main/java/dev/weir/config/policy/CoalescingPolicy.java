package dev.weir.config.policy;

import java.time.Duration;
import java.util.List;

/** Which identical searches that are under way at the same time run once. */
public record CoalescingPolicy(
    @ConfigKey(
            value = "",
            max = "64",
            doc =
                "Searches of these indices, such as logs-*, run once where identical ones are under"
                    + " way; empty: none.")
        List<String> indices,
    @ConfigKey(
            value = "1s",
            min = "1ms",
            max = "1m",
            doc =
                "A search joins one that came at most this long before: its answer can be so much"
                    + " older than otherwise.")
        Duration maxAge,
    @ConfigKey(value = "100", min = "1", max = "100000", doc = "Searches that join one, at most.")
        int maxFollowers,
    @ConfigKey(
            value = "16kb",
            min = "0b",
            max = "1mb",
            doc = "A search with a longer body than this runs by itself.")
        ByteSize maxBodyBytes) {

  /** The policy of a gateway whose file does not say. */
  public static final CoalescingPolicy DEFAULT =
      new CoalescingPolicy(List.of(), Duration.ofSeconds(1), 100, new ByteSize(16 << 10));
}
