package dev.weir.http.connection;

import dev.weir.model.BoundedCounter;

/**
 * Counts the memory of responses that clients have not read, of all clients and of each. Safe on
 * any thread.
 */
final class HeldResponses {
  private final BoundedCounter all = new BoundedCounter();
  private final NetworkUsage byClient = new NetworkUsage();

  void add(ClientNetwork client, long bytes) {
    all.add(bytes);
    byClient.add(client, bytes);
  }

  void remove(ClientNetwork client, long bytes) {
    all.subtract(bytes);
    byClient.subtract(client, bytes);
  }

  /** Returns whether a client holds more than a number of bytes. */
  boolean isMoreHeldBy(ClientNetwork client, long bytes) {
    return byClient.of(client) > bytes;
  }

  /** Returns whether a client holds more than half of what all clients hold. */
  boolean isMostHeldBy(ClientNetwork client) {
    return byClient.of(client) > all.get() / 2;
  }
}
