package dev.weir.http.options;

/**
 * Bounds what one client may take from the others. A client is an IPv4 address, or the first 64
 * bits of an IPv6 address.
 *
 * @param maxAddressRatio the part of something shared that one client may use, from 0 to 1
 */
public record ClientLimits(double maxAddressRatio) {

  /** Returns limits that leave a quarter to other clients. */
  public static ClientLimits standard() {
    return new ClientLimits(0.75);
  }

  /** Returns how much of something shared one client may use; at least one. */
  public long shareOf(long all) {
    return Math.max(1, (long) Math.ceil(all * maxAddressRatio));
  }
}
