package dev.weir.model;

import java.util.List;

/**
 * Why a request got no more memory, with the bill of what it holds.
 *
 * @param category what it was wanted for
 * @param requestedBytes bytes that were wanted
 * @param resultingBytes bytes that would then be held of what {@code limit} bounds
 * @param limitBytes bytes that may be held of it
 * @param limitDescription what the limit bounds, for people, with the key that sets it
 * @param permanent whether it would be refused also if nobody else held anything: coming again does
 *     not help
 * @param bill what the request holds, for people, an item a line, the largest first
 * @param growth what grew, for people; empty when that is not known
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

  /** The message for the client. */
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
    return text.toString();
  }

  private static String formatBytes(long bytes) {
    return bytes + "/" + DisplayFormat.formatBytes(bytes);
  }
}
