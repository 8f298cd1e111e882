package dev.weir.model;

import java.util.List;

/**
 * Why a request got no more memory, with the bill of what it holds.
 *
 * @param item what it was wanted for
 * @param wanted bytes that were wanted
 * @param wouldBe bytes that would then be held of what {@code limit} bounds
 * @param limit bytes that may be held of it
 * @param bound what the limit bounds, for people, with the key that sets it
 * @param lasting whether it would be refused also if nobody else held anything: coming again does
 *     not help
 * @param bill what the request holds, for people, an item a line, the largest first
 * @param growth what grew, for people; empty when that is not known
 */
public record MemoryRefusal(
    RequestMemory.Item item,
    long wanted,
    long wouldBe,
    long limit,
    String bound,
    boolean lasting,
    List<String> bill,
    List<String> growth) {

  /** What a client is told. */
  public String message() {
    StringBuilder text =
        new StringBuilder("[request] Data too large, data for [")
            .append(item.words())
            .append("] would be [")
            .append(sized(wouldBe))
            .append("], which is larger than the limit of [")
            .append(sized(limit))
            .append("] for ")
            .append(bound)
            .append("; this request holds ")
            .append(bill.isEmpty() ? "nothing yet" : String.join(", ", bill));
    if (!growth.isEmpty()) {
      text.append("; ").append(String.join(", ", growth));
    }
    return text.toString();
  }

  private static String sized(long bytes) {
    return bytes + "/" + Shown.bytes(bytes);
  }
}
