package dev.weir.bench.hostile;

import dev.weir.bench.BenchCluster;
import dev.weir.bench.BenchClusters;
import dev.weir.bench.MeasuredGateway;
import dev.weir.bench.ResultChecks;
import dev.weir.testkit.process.ScratchFolder;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Runs the public conformance tests of HTTP/2 against the gateway, in cleartext and over TLS. */
@Command(
    name = "h2spec",
    description = "conformance tests of HTTP/2, if h2spec or a Go compiler is installed")
public final class H2SpecBench implements Callable<Integer> {
  private static final Pattern SUMMARY = Pattern.compile("(\\d+) tests?, .*?(\\d+) failed");

  @Option(names = "--section", description = "one section, such as http2/6.5 (default: all)")
  private String section = "";

  @Option(
      names = "--seconds",
      description = "seconds that a test waits for a frame (default: ${DEFAULT-VALUE})")
  private int seconds = 4;

  @Option(names = "--no-build", description = "use an installed h2spec alone")
  private boolean noBuild;

  private final PrintStream out = System.out;
  private final ResultChecks checks = new ResultChecks(out);
  private final BenchClusters clusters;

  public H2SpecBench(BenchClusters clusters) {
    this.clusters = clusters;
  }

  @Override
  public Integer call() throws IOException {
    try (ScratchFolder scratch = ScratchFolder.create("weir-h2spec-")) {
      Optional<Path> h2spec = H2SpecTool.find(noBuild ? null : scratch.path(), out);
      if (h2spec.isEmpty()) {
        out.println("skipped: h2spec is not on the PATH, and was not built");
        return 0;
      }
      H2SpecTool.Certificate certificate = H2SpecTool.makeCertificate(scratch.path());
      String tls =
          "tls: {enabled: true, certificate-file: \"%s\", key-file: \"%s\"}"
              .formatted(certificate.chain(), certificate.key());
      try (BenchClusters.Lease lease = clusters.lease(BenchCluster.spec(out))) {
        List<String> seeds = lease.cluster().seeds().subList(0, 3);
        try (MeasuredGateway gateway = MeasuredGateway.start(seeds)) {
          run("cleartext", h2spec.get(), gateway, List.of());
        }
        try (MeasuredGateway gateway = MeasuredGateway.startWithHttp(seeds, tls)) {
          run("TLS", h2spec.get(), gateway, List.of("--tls", "--insecure"));
        }
      }
    }
    checks.print();
    return checks.exitCode();
  }

  private void run(String title, Path h2spec, MeasuredGateway gateway, List<String> options)
      throws IOException {
    String output =
        H2SpecTool.run(
            h2spec,
            options,
            section,
            "--port",
            Integer.toString(gateway.address().getPort()),
            "--timeout",
            Integer.toString(seconds),
            "--path",
            "/_cluster/health");
    int failures = output.indexOf("Failures:");
    out.println(title + ": " + output.substring(Math.max(0, failures)));
    Matcher summary = SUMMARY.matcher(output);
    boolean isComplete = summary.find();
    checks.checkTrue(title, "h2spec ran to its end", isComplete);
    List<String> failed = H2SpecFailures.parse(output);
    failed.forEach(test -> out.println(title + ": " + test + ": " + H2SpecFailures.reason(test)));
    boolean isListed = isComplete && Integer.parseInt(summary.group(2)) == failed.size();
    checks.checkTrue(title, "every failed test is listed", isListed);
    checks.checkAtMost(
        title,
        "failed tests that the gateway should pass",
        H2SpecFailures.unexpected(failed).size(),
        0);
  }
}
