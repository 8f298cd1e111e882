package dev.weir.config.policy;

import java.time.Duration;
import java.util.List;

/** Which identical searches run once while one of them is in flight. */
public record CoalescingPolicy(
    @ConfigKey(
            value = "",
            max = "64",
            doc =
                "Indices, such as logs-*, whose identical searches run once while one of them is in"
                    + " flight; all clients get its response. Empty: none.")
        List<String> indices,
    @ConfigKey(
            value = "1s",
            min = "1ms",
            max = "1m",
            doc =
                "Join a search only to one that started at most this long ago. A response can be"
                    + " older than without coalescing by this much.")
        Duration maxAge,
    @ConfigKey(
            value = "100",
            min = "1",
            max = "100000",
            doc =
                "Searches that join one running search at most. Further ones start a search of"
                    + " their own.")
        int maxFollowers,
    @ConfigKey(
            value = "16kb",
            min = "0b",
            max = "1mb",
            doc = "A search with a longer body runs by itself.")
        ByteSize maxBodyBytes) {

  public static final CoalescingPolicy DEFAULT =
      new CoalescingPolicy(List.of(), Duration.ofSeconds(1), 100, new ByteSize(16 << 10));
}
