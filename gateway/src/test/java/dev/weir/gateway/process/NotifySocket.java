package dev.weir.gateway.process;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * The supervisor's end of {@code NOTIFY_SOCKET}: a Unix datagram socket of the C library, because
 * the JDK has none. Linux only.
 */
@SuppressWarnings("restricted")
public final class NotifySocket implements AutoCloseable {
  private static final short AF_UNIX = 1;
  private static final int SOCK_DGRAM = 2;
  private static final int LONGEST = 4096;
  private static final Linker C = Linker.nativeLinker();

  private final Arena arena = Arena.ofShared();
  private final BlockingQueue<String> told = new LinkedBlockingQueue<>();
  private final int descriptor;

  /**
   * Opens the socket.
   *
   * @param name the value of the variable: a path, or @ and an abstract name
   */
  public NotifySocket(String name) throws Throwable {
    descriptor = (int) call("socket", JAVA_INT, JAVA_INT, JAVA_INT).invokeExact(1, SOCK_DGRAM, 0);
    byte[] path = name.replace('@', '\0').getBytes(UTF_8);
    MemorySegment address = arena.allocate(2L + path.length + 1);
    address.set(JAVA_SHORT, 0, AF_UNIX);
    MemorySegment.copy(path, 0, address, JAVA_BYTE, 2, path.length);
    int bound =
        (int)
            call("bind", JAVA_INT, ADDRESS, JAVA_INT)
                .invokeExact(descriptor, address, 2 + path.length);
    if (bound != 0) {
      throw new IllegalStateException("can't listen at " + name);
    }
    Thread.ofPlatform().daemon().name("notify-socket").start(this::receive);
  }

  private static MethodHandle call(String name, ValueLayout... arguments) {
    return C.downcallHandle(
        C.defaultLookup().find(name).orElseThrow(), FunctionDescriptor.of(JAVA_INT, arguments));
  }

  private void receive() {
    MethodHandle receive =
        C.downcallHandle(
            C.defaultLookup().find("recv").orElseThrow(),
            FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT));
    try (Arena own = Arena.ofConfined()) {
      MemorySegment buffer = own.allocate(LONGEST);
      while (true) {
        long bytes = (long) receive.invokeExact(descriptor, buffer, (long) LONGEST, 0);
        if (bytes <= 0) {
          return; // shut down
        }
        told.add(new String(buffer.asSlice(0, bytes).toArray(JAVA_BYTE), UTF_8));
      }
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }

  /** The next datagram; empty when none arrives in time. */
  public String next(Duration within) throws InterruptedException {
    String next = told.poll(within.toNanos(), TimeUnit.NANOSECONDS);
    return next == null ? "" : next;
  }

  /** The next datagram that is not a keep-alive. */
  public String nextWord(Duration within) throws InterruptedException {
    String next = next(within);
    while (next.equals("WATCHDOG=1")) {
      next = next(within);
    }
    return next;
  }

  @Override
  public void close() {
    try {
      int ended = (int) call("shutdown", JAVA_INT, JAVA_INT).invokeExact(descriptor, 2);
      ended += (int) call("close", JAVA_INT).invokeExact(descriptor);
      if (ended != 0) {
        throw new IllegalStateException("can't close the socket");
      }
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
    arena.close();
  }
}
