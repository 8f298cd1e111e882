package dev.weir.operate;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * Flushes indices, several with a call.
 *
 * @param cluster gets the calls
 */
record IndexFlush(ClusterApi cluster) {
  private static final int MAX_NAMES = 50;

  /** A node's request line has 4 KB by default. */
  private static final int MAX_CHARACTERS = 3000;

  /**
   * Flushes all that it can.
   *
   * @return a line for each index that was not flushed
   */
  List<String> run(Collection<String> indices) throws OperationException, InterruptedException {
    List<String> failures = new ArrayList<>();
    for (List<String> some : split(indices)) {
      try {
        flush(some);
      } catch (OperationException together) {
        if (some.size() == 1) {
          failures.add(String.valueOf(together.getMessage()));
          continue;
        }
        for (String one : some) {
          try {
            flush(List.of(one));
          } catch (OperationException e) {
            failures.add(String.valueOf(e.getMessage()));
          }
        }
      }
    }
    return failures;
  }

  private void flush(List<String> encoded) throws OperationException, InterruptedException {
    cluster.send("POST", "/" + String.join(",", encoded) + "/_flush?ignore_unavailable=true");
  }

  /** The names for each call, as a path has them. */
  static List<List<String>> split(Collection<String> indices) {
    List<List<String>> calls = new ArrayList<>();
    List<String> call = new ArrayList<>();
    int characters = 0;
    for (String index : indices) {
      String encoded = GatewayAdmin.encode(index);
      boolean isFull = call.size() == MAX_NAMES || characters + encoded.length() > MAX_CHARACTERS;
      if (isFull && !call.isEmpty()) {
        calls.add(call);
        call = new ArrayList<>();
        characters = 0;
      }
      call.add(encoded);
      characters += encoded.length() + 1;
    }
    if (!call.isEmpty()) {
      calls.add(call);
    }
    return calls;
  }
}
