package dev.weir.bench;

import dev.weir.testkit.GatewayChildProcess;
import dev.weir.testkit.process.Ports;
import dev.weir.testkit.process.ScratchFolder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A gateway in a child process, started as users start it, on free ports. */
public final class MeasuredGateway implements AutoCloseable {
  private final GatewayChildProcess process;
  private final ScratchFolder scratch;
  private final InetSocketAddress address;
  private final InetSocketAddress adminAddress;

  private MeasuredGateway(
      GatewayChildProcess process,
      ScratchFolder scratch,
      InetSocketAddress address,
      InetSocketAddress admin) {
    this.process = process;
    this.scratch = scratch;
    this.address = address;
    this.adminAddress = admin;
  }

  /** Starts a gateway with the default policies and waits until it is ready. */
  public static MeasuredGateway start(List<String> seeds) throws IOException {
    return start(seeds, "");
  }

  /**
   * Starts a gateway and waits until it is ready.
   *
   * @param more further sections of its configuration
   */
  public static MeasuredGateway start(List<String> seeds, String more) throws IOException {
    return startWithConfig(clusters(quoted(seeds)) + more + "\n");
  }

  /**
   * Starts the gateway of another checkout with the default policies, and waits until it is ready.
   *
   * @param checkout built by its own {@code ./weir}
   */
  public static MeasuredGateway startOther(Path checkout, List<String> seeds) throws IOException {
    Path argumentFile = requireBuilt(checkout);
    return startProcess(
        (config, log) -> GatewayChildProcess.startOther(argumentFile, config, log),
        "",
        clusters(quoted(seeds)));
  }

  /** Returns the java argument file of another checkout; throws if that is not built. */
  static Path requireBuilt(Path checkout) {
    Path argumentFile = checkout.toAbsolutePath().resolve(".weir").resolve("gateway.args");
    if (!Files.isRegularFile(argumentFile)) {
      throw new IllegalArgumentException(
          "there is no gateway to compare with in "
              + checkout
              + "; build it there first: ./weir check --config FILE");
    }
    return argumentFile;
  }

  /**
   * Starts a gateway and waits until it is ready.
   *
   * @param sections its configuration without {@code http} and {@code admin}
   */
  public static MeasuredGateway startWithConfig(String sections) throws IOException {
    return startProcess(GatewayChildProcess::start, "", sections);
  }

  /**
   * Starts a gateway and waits until it is ready.
   *
   * @param http further keys of its {@code http} section, in one line
   * @param sections its configuration without {@code http} and {@code admin}
   */
  public static MeasuredGateway startWithConfig(String http, String sections) throws IOException {
    return startProcess(GatewayChildProcess::start, http, sections);
  }

  /**
   * Starts a gateway and waits until it is ready.
   *
   * @param http further keys of its {@code http} section, in one line
   */
  public static MeasuredGateway startWithHttp(List<String> seeds, String http) throws IOException {
    return startProcess(GatewayChildProcess::start, http, clusters(quoted(seeds)));
  }

  private static String quoted(List<String> seeds) {
    return seeds.stream().map(seed -> '"' + seed + '"').collect(Collectors.joining(", "));
  }

  /** The nodes have a plugin that injects faults, which the gateway does not know. */
  private static String clusters(String seeds) {
    return "clusters:\n  main:\n    seeds: [" + seeds + "]\n    authorization: none\n";
  }

  private interface Launcher {
    GatewayChildProcess launch(Path config, Path log);
  }

  private static MeasuredGateway startProcess(Launcher launcher, String moreHttp, String sections)
      throws IOException {
    Random random = new Random();
    ScratchFolder scratch = ScratchFolder.create("weir-bench-");
    Path folder = scratch.path();
    int http = Ports.findFree(random);
    int admin = Ports.findFree(random);
    Path config = folder.resolve("weir.yaml");
    Files.writeString(
        config,
        """
        http:
          listen: 127.0.0.1:%d
          %s
        admin:
          listen: 127.0.0.1:%d
        %s
        """
            .formatted(http, moreHttp, admin, sections));
    GatewayChildProcess process = launcher.launch(config, folder.resolve("gateway.log"));
    process.awaitReady(URI.create("http://127.0.0.1:" + admin));
    return new MeasuredGateway(
        process,
        scratch,
        new InetSocketAddress("127.0.0.1", http),
        new InetSocketAddress("127.0.0.1", admin));
  }

  /** Returns the address of the REST endpoint. */
  public InetSocketAddress address() {
    return address;
  }

  /** Returns the address of the admin endpoint. */
  public InetSocketAddress adminAddress() {
    return adminAddress;
  }

  public long pid() {
    return process.pid();
  }

  /** Returns the number of lines that it has logged so far. */
  public long logLines() {
    try (Stream<String> lines = Files.lines(process.log())) {
      return lines.count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    process.close();
    scratch.close();
  }
}
