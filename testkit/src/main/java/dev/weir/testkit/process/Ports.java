package dev.weir.testkit.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.HashSet;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * TCP ports of the loopback address for processes that are about to start.
 *
 * <p>Free ports are drawn below the range from which systems take the local ports of outgoing
 * connections, so that no client happens to occupy a node's port while that node restarts. A port
 * is handed out once per JVM.
 */
public final class Ports {
  private static final int LOWEST = 12_000;
  private static final int HIGHEST = 31_999;
  private static final int ATTEMPTS = 2_000;
  private static final Set<Integer> HANDED_OUT = new HashSet<>();

  private Ports() {}

  /**
   * Returns a free port that was not returned before.
   *
   * @param random draws the candidates
   */
  public static int findFree(RandomGenerator random) {
    synchronized (HANDED_OUT) {
      for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        int port = random.nextInt(LOWEST, HIGHEST + 1);
        if (isFree(port) && HANDED_OUT.add(port)) {
          return port;
        }
      }
    }
    throw new IllegalStateException(
        "found no free TCP port from "
            + LOWEST
            + " to "
            + HIGHEST
            + " in "
            + ATTEMPTS
            + " attempts (expected: most of them free)");
  }

  /** Returns whether a port of the loopback address is free. */
  public static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket()) {
      // like a server: a port whose last connections are in TIME_WAIT counts as free
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), port));
      return true;
    } catch (BindException taken) {
      return false;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot try port " + port, e);
    }
  }

  /**
   * Throws if a port is taken.
   *
   * @param port the port
   * @param use the use of the port, for the message
   * @param remedy what the user can do, as the end of the message
   */
  public static void requireFree(int port, String use, String remedy) {
    if (!isFree(port)) {
      throw new PortTakenException(port, use, remedy);
    }
  }
}
