package dev.weir.gateway.process;

import dev.weir.protocol.EventLoops;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.epoll.EpollDomainDatagramChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.util.concurrent.EventExecutor;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What started this process and wants to hear how it is, such as systemd: it is told by datagrams
 * to the socket that {@code NOTIFY_SOCKET} names, as {@code sd_notify} would send them. Where that
 * is not set nobody is told. Safe on any thread.
 *
 * <p>With {@code WATCHDOG_USEC} it hears that the gateway lives, as long as each event loop runs a
 * task in a third of that time; a virtual thread asks them, until closed.
 */
public final class SystemdNotifier implements AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(SystemdNotifier.class);

  /** How much longer than its own bounds a stop may take before it is killed. */
  private static final Duration MARGIN = Duration.ofSeconds(10);

  private final EventLoops loops;
  private final @Nullable DomainSocketAddress address;
  private final @Nullable Thread watchdog;

  private SystemdNotifier(
      EventLoops loops, @Nullable DomainSocketAddress address, @Nullable Duration interval) {
    this.loops = loops;
    this.address = address;
    this.watchdog =
        address == null || interval == null
            ? null
            : Thread.ofVirtual().name("weir-watchdog").unstarted(() -> sendKeepAlives(interval));
  }

  /**
   * Finds out who wants to hear of this process.
   *
   * @param environment the process's variables
   * @param loops send what is told, and are what the watchdog asks
   */
  public static SystemdNotifier create(Map<String, String> environment, EventLoops loops) {
    DomainSocketAddress address =
        address(environment.getOrDefault("NOTIFY_SOCKET", ""), loops.io());
    return new SystemdNotifier(
        loops, address, address == null ? null : watchdogInterval(environment));
  }

  /** A path, or an abstract name, which begins with an @ there and with a zero for the system. */
  private static @Nullable DomainSocketAddress address(String socket, EventLoops.IoTransport io) {
    if (socket.isEmpty()) {
      return null;
    }
    boolean known = socket.startsWith("/") || (socket.startsWith("@") && socket.length() > 1);
    if (!known || io != EventLoops.IoTransport.EPOLL) {
      LOGGER.warn(
          "NOTIFY_SOCKET: got {} (expected: {}); nobody is told how this process is",
          socket,
          known ? "a system with epoll" : "/path or @name");
      return null;
    }
    return new DomainSocketAddress(socket.startsWith("@") ? '\0' + socket.substring(1) : socket);
  }

  /** How often the watchdog must hear; null where it need not hear, or not from this process. */
  private static @Nullable Duration watchdogInterval(Map<String, String> environment) {
    String meant = environment.get("WATCHDOG_PID");
    if (meant != null && !meant.equals(Long.toString(ProcessHandle.current().pid()))) {
      return null;
    }
    try {
      long micros = Long.parseLong(environment.getOrDefault("WATCHDOG_USEC", "0"));
      return micros > 0 ? Duration.of(micros, ChronoUnit.MICROS) : null;
    } catch (NumberFormatException e) {
      LOGGER.warn("WATCHDOG_USEC: {} (expected: microseconds)", e.getMessage());
      return null;
    }
  }

  /** The start has succeeded; from now on the watchdog hears. */
  public void notifyReady(String status) {
    send("READY=1\nSTATUS=" + status);
    if (watchdog != null) {
      watchdog.start();
    }
  }

  /** How it is, in a few words, for people. */
  public void notifyStatus(String status) {
    send("STATUS=" + status);
  }

  /**
   * The process is about to end.
   *
   * @param atMost how long that takes by its own bounds, which the supervisor need not know
   */
  public void notifyStopping(Duration atMost) {
    long micros = TimeUnit.MICROSECONDS.convert(atMost.plus(MARGIN));
    send("STOPPING=1\nSTATUS=draining\nEXTEND_TIMEOUT_USEC=" + micros);
  }

  private void sendKeepAlives(Duration interval) {
    Duration third = interval.dividedBy(3);
    LOGGER.debug("the watchdog hears every {}", third);
    try {
      while (true) {
        if (areLoopsResponsive(third)) {
          send("WATCHDOG=1");
          Thread.sleep(third);
        } else {
          LOGGER.warn("an event loop ran nothing for {}: the watchdog is not told", third);
        }
      }
    } catch (InterruptedException | RejectedExecutionException closed) {
      // no further notifications
    }
  }

  private boolean areLoopsResponsive(Duration within) throws InterruptedException {
    CountDownLatch turned = new CountDownLatch(loops.size());
    for (EventExecutor loop : loops.group()) {
      loop.execute(turned::countDown);
    }
    return turned.await(within.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** One datagram over a socket of its own, so that nothing is kept open between them. */
  private void send(String state) {
    if (address == null) {
      return;
    }
    new Bootstrap()
        .group(loops.loop(0)) // one and the same, so that what is told keeps its order
        .channel(EpollDomainDatagramChannel.class)
        .handler(new ChannelInboundHandlerAdapter())
        .connect(address)
        .addListener((ChannelFuture connected) -> {
          Channel channel = connected.channel();
          if (!connected.isSuccess()) {
            logFailure(connected.cause());
            return;
          }
          channel
              .writeAndFlush(ByteBufUtil.writeUtf8(channel.alloc(), state))
              .addListener((ChannelFuture written) -> {
                if (!written.isSuccess()) {
                  logFailure(written.cause());
                }
              })
              .addListener(ChannelFutureListener.CLOSE);
        });
  }

  private static void logFailure(Throwable cause) {
    LOGGER.warn("NOTIFY_SOCKET: {}", cause.toString());
  }

  /** Tells nothing more by itself. */
  @Override
  public void close() {
    if (watchdog != null) {
      watchdog.interrupt();
    }
  }
}
