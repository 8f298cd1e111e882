package dev.weir.it.plugin;

import dev.weir.it.TestBed;
import dev.weir.protocol.ChannelKind;
import dev.weir.protocol.EventLoops;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.NodeCallException;
import dev.weir.protocol.ReplyFrame;
import dev.weir.protocol.ReplyHandler;
import dev.weir.protocol.SeedClient;
import dev.weir.protocol.TransportClients;
import dev.weir.protocol.TransportMemory;
import dev.weir.protocol.TransportOptions;
import dev.weir.testkit.DataNode;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Asks one node for its plugin, by requests in the plugin's format that the test makes. */
final class CapabilityCaller implements AutoCloseable {
  private final EventLoops loops = EventLoops.start(1);
  private final TransportClients clients =
      new TransportClients(
          loops,
          TestBed.registries().writeables(),
          TransportOptions.defaults(),
          TransportMemory.forThisJvm(1),
          new SplittableRandom(1));
  private final SeedClient node;

  CapabilityCaller(DataNode node) throws Exception {
    InetSocketAddress address = new InetSocketAddress("127.0.0.1", node.transportPort());
    this.node = clients.connectSeed(address).toCompletableFuture().get(1, TimeUnit.MINUTES);
  }

  /** Returns the version of the plugin, or why the call failed. */
  String call(byte[] body, int size) throws Exception {
    CompletableFuture<String> told = new CompletableFuture<>();
    NodeCall<String> call =
        new NodeCall<>(
            "cluster:monitor/weir/capabilities",
            out -> {
              out.writeInt(-1);
              out.writeBytes(body);
              out.writeInt(size);
            },
            in -> {
              String version = in.readString();
              in.skipNBytes(in.available());
              return version;
            },
            ChannelKind.CONTROL,
            Map.of(),
            Duration.ofMinutes(1));
    node.send(
        call,
        Runnable::run,
        new ReplyHandler<>() {
          @Override
          public void onReply(String version, ReplyFrame frame) {
            told.complete(version);
          }

          @Override
          public void onFailure(NodeCallException failure) {
            Throwable cause = failure.exception();
            StringBuilder all = new StringBuilder(failure.kind().name());
            while (cause != null) {
              all.append(": ").append(cause.getMessage());
              cause = cause.getCause();
            }
            told.complete(all.toString());
          }
        });
    return told.get(2, TimeUnit.MINUTES);
  }

  @Override
  public void close() {
    node.close();
    clients.close();
    loops.close();
  }
}
