package dev.weir.http.connection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.http.body.FixedBodyBudget;
import dev.weir.http.connection.ConnectionCounts.Reason;
import dev.weir.http.options.ClientLimits;
import dev.weir.http.options.HttpCompression;
import dev.weir.http.options.HttpLimits;
import dev.weir.http.options.HttpOptions;
import dev.weir.http.options.HttpSecurity;
import dev.weir.http.options.HttpTimeouts;
import dev.weir.model.RequestTracer;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A flood of connections that are all refused, beside connections that are in use. */
class RefusedConnectionTest {
  private static final int FLOOD = 1000;
  private static final ClientNetwork GREEDY = new ClientNetwork(false, 1);
  private static final ClientNetwork OTHER = new ClientNetwork(false, 2);
  private static final ClientNetwork THIRD = new ClientNetwork(false, 3);

  private final AtomicLong nowNanos = new AtomicLong();
  private final EmbeddedChannel here = new EmbeddedChannel();
  private final EmbeddedChannel elsewhere = new EmbeddedChannel();

  /** A connection that counts how often somebody looked whether it is idle. */
  private static final class WatchedConnection implements MonitoredConnection {
    private final ClientNetwork client;
    private long idleSinceNanos = BUSY;
    private int looks;
    private boolean evicted;

    WatchedConnection(ClientNetwork client) {
      this.client = client;
    }

    @Override
    public void checkTimeouts(long now) {}

    @Override
    public void drain() {}

    @Override
    public long idleSinceNanos(long now) {
      looks++;
      return idleSinceNanos;
    }

    @Override
    public ClientNetwork network() {
      return client;
    }

    @Override
    public long readRate() {
      return UNKNOWN_RATE;
    }

    @Override
    public void evict() {
      evicted = true;
    }

    @Override
    public void closeNow() {}
  }

  @AfterEach
  void end() {
    here.finishAndReleaseAll();
    elsewhere.finishAndReleaseAll();
  }

  private ServerContext server(int maxConnections, double maxAddressRatio) {
    return new ServerContext(
        new HttpOptions(
            new HttpLimits(4096, 16384, 1 << 20, 128, maxConnections),
            HttpTimeouts.standard(),
            HttpCompression.standard(),
            HttpSecurity.PLAIN,
            () -> "",
            RequestTracer.NONE,
            ClientLimits.standard().withMaxAddressRatio(maxAddressRatio)),
        new FixedBodyBudget(1 << 20),
        nowNanos::get,
        (_, _, _) -> {
          throw new AssertionError("got a request (expected: none)");
        });
  }

  private static WatchedConnection watched(EventLoopConnections loop, ClientNetwork client) {
    WatchedConnection connection = new WatchedConnection(client);
    loop.add(connection);
    return connection;
  }

  private static void fill(
      ServerContext server, EventLoopConnections loop, ClientNetwork client, int count) {
    for (int i = 0; i < count; i++) {
      assertThat(server.tryRegister(loop, client, false)).isNull();
    }
  }

  private static void flood(ServerContext server, EventLoopConnections loop, ClientNetwork client) {
    for (int i = 0; i < FLOOD; i++) {
      assertThat(server.tryRegister(loop, client, false)).isNotNull();
    }
  }

  @Test
  void looksOnceForAnIdleConnectionOfAClientBeyondItsShare() {
    ServerContext server = server(8, 0.5);
    EventLoopConnections loop = server.connectionsOf(here.eventLoop());
    WatchedConnection busy = watched(loop, GREEDY);
    fill(server, loop, GREEDY, 4);
    flood(server, loop, GREEDY);
    assertThat(busy.looks).isOne();
    assertThat(server.counts().count(Reason.ADDRESS_SHARE)).isEqualTo(FLOOD);

    busy.idleSinceNanos = nowNanos.get();
    nowNanos.addAndGet(TimeUnit.SECONDS.toNanos(2));
    assertThat(server.tryRegister(loop, GREEDY, false)).isNull();
    assertThat(busy.evicted).isTrue();
  }

  @Test
  void looksForOthersMeanwhile() {
    ServerContext server = server(10, 0.4);
    EventLoopConnections loop = server.connectionsOf(here.eventLoop());
    nowNanos.addAndGet(TimeUnit.SECONDS.toNanos(2));
    WatchedConnection idle = watched(loop, OTHER);
    idle.idleSinceNanos = 0;
    fill(server, loop, GREEDY, 4);
    fill(server, loop, OTHER, 4);
    flood(server, loop, GREEDY);
    assertThat(idle.evicted).isFalse();
    assertThat(server.tryRegister(loop, OTHER, false)).isNull();
    assertThat(idle.evicted).isTrue();
  }

  @Test
  void looksOnceOnEachLoopOfAFullServer() {
    ServerContext server = server(4, 1);
    EventLoopConnections loop = server.connectionsOf(here.eventLoop());
    EventLoopConnections otherLoop = server.connectionsOf(elsewhere.eventLoop());
    WatchedConnection busy = watched(loop, GREEDY);
    WatchedConnection busyElsewhere = watched(otherLoop, GREEDY);
    fill(server, loop, GREEDY, 4);
    for (ClientNetwork client : new ClientNetwork[] {OTHER, THIRD}) {
      flood(server, loop, client);
      elsewhere.runPendingTasks();
    }
    assertThat(busy.looks).isOne();
    assertThat(busyElsewhere.looks).isOne();
    assertThat(server.counts().count(Reason.FULL)).isEqualTo(2 * FLOOD);
  }

  @Test
  void looksAgainForAClientWithFewerConnections() {
    ServerContext server = server(4, 1);
    EventLoopConnections loop = server.connectionsOf(here.eventLoop());
    nowNanos.addAndGet(TimeUnit.SECONDS.toNanos(2));
    WatchedConnection idle = watched(loop, OTHER);
    idle.idleSinceNanos = 0;
    fill(server, loop, GREEDY, 3);
    fill(server, loop, OTHER, 1);
    flood(server, loop, GREEDY); // has more connections than the client of the idle one
    assertThat(idle.evicted).isFalse();
    assertThat(server.tryRegister(loop, THIRD, false)).isNull();
    assertThat(idle.evicted).isTrue();
  }
}
