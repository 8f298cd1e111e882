package dev.weir.model;

import java.time.Duration;
import java.util.List;

/**
 * Why a request was refused memory, with its memory bill.
 *
 * @param category the purpose of the memory
 * @param requestedBytes the bytes requested
 * @param resultingBytes the bytes that would then be in use under the limit
 * @param limitBytes the limit in bytes
 * @param limitDescription what the limit bounds, for people, with its configuration key
 * @param permanent whether the request would be refused even if no other request held memory, so
 *     that a retry is useless
 * @param bill what the request holds, for people, one item a line, largest first
 * @param growth what grew, for people; empty if unknown
 */
public record MemoryRejection(
    RequestMemory.Category category,
    long requestedBytes,
    long resultingBytes,
    long limitBytes,
    String limitDescription,
    boolean permanent,
    List<String> bill,
    List<String> growth) {

  private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

  /** Returns the message for the client. */
  public String message() {
    StringBuilder text =
        new StringBuilder("[request] Data too large, data for [")
            .append(category.label())
            .append("] would be [")
            .append(formatBytes(resultingBytes))
            .append("], which is larger than the limit of [")
            .append(formatBytes(limitBytes))
            .append("] for ")
            .append(limitDescription)
            .append("; this request holds ")
            .append(bill.isEmpty() ? "nothing yet" : String.join(", ", bill));
    if (!growth.isEmpty()) {
      text.append("; ").append(String.join(", ", growth));
    }
    return text.append(advice()).toString();
  }

  /** Returns what the client can do, as the end of a message. */
  public String advice() {
    return permanent
        ? RetryAdvice.noRetry("the limit")
        : RetryAdvice.retry(RETRY_AFTER, "the limit");
  }

  private static String formatBytes(long bytes) {
    return bytes + "/" + DisplayFormat.formatBytes(bytes);
  }
}
