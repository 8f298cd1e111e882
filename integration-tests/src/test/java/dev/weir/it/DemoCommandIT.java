package dev.weir.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.RestClient;
import dev.weir.testkit.cli.DemoCommand;
import dev.weir.testkit.junit.Drawn;
import dev.weir.testkit.junit.TestSeed;
import dev.weir.testkit.process.ChildJvm;
import dev.weir.testkit.process.ClassPath;
import dev.weir.testkit.process.JvmCommand;
import dev.weir.testkit.process.Ports;
import dev.weir.testkit.process.WorkingTree;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the demo like its users, except for the start script. */
@Drawn(oneIn = 3)
class DemoCommandIT {
  private static final Duration TIMEOUT = Duration.ofMinutes(4);
  private static final String LAST_LINE = "Ctrl-C ends all of it.";

  @TempDir private Path folder;
  private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
  private final Random random = TestSeed.random(DemoCommandIT.class);
  private final int port = Ports.findFree(random);

  private ChildJvm startDemo(String... more) {
    List<String> arguments = new ArrayList<>();
    arguments.add("--nodes=1");
    arguments.add("--port=" + port);
    arguments.add("--admin-port=" + Ports.findFree(random));
    arguments.add("--http-port=" + Ports.findFree(random));
    arguments.add("--transport-port=" + Ports.findFree(random));
    arguments.add("--heap=256m");
    arguments.addAll(List.of(more));
    List<String> options =
        List.of("-Dweir.root=" + WorkingTree.root(), "-Djava.io.tmpdir=" + folder);
    JvmCommand command =
        JvmCommand.of(ClassPath.ofThisJvm(), options, DemoCommand.class.getName(), arguments);
    return ChildJvm.start(command, folder.resolve("errors.txt"), lines::add);
  }

  private List<String> untilReady() throws Exception {
    List<String> output = new ArrayList<>();
    while (!output.contains(LAST_LINE)) {
      String line = lines.poll(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
      assertThat(line).as(Files.readString(folder.resolve("errors.txt"))).isNotNull();
      output.add(line);
    }
    return output;
  }

  private static List<ProcessHandle> descendants(ChildJvm demo) {
    return ProcessHandle.of(demo.pid()).stream().flatMap(ProcessHandle::descendants).toList();
  }

  private static void assertGone(List<ProcessHandle> processes) throws Exception {
    for (ProcessHandle process : processes) {
      process.onExit().get(60, TimeUnit.SECONDS);
    }
  }

  @Test
  void servesItsSampleDataThroughTheGatewayAndLeavesNothingBehind() throws Exception {
    ChildJvm demo = startDemo();
    String output = String.join("\n", untilReady());
    assertThat(output).contains("Weir is ready: http://127.0.0.1:" + port, "_search?q=name:lamp");

    try (RestClient rest = new RestClient(URI.create("http://127.0.0.1:" + port))) {
      assertThat(rest.send("GET", "/products/_count").orThrow().body()).contains("\"count\":2000");
      assertThat(rest.send("GET", "/products/_doc/P00001").orThrow().body()).contains("\"brand\"");
      assertThat(rest.send("GET", "/access-log/_count").orThrow().body()).contains(":6000,");
    }
    List<ProcessHandle> descendants = descendants(demo);
    assertThat(descendants).hasSizeGreaterThanOrEqualTo(2);

    demo.stop(TIMEOUT);

    assertGone(descendants);
    assertThat(folder).isDirectoryNotContaining("glob:**/weir-*");
  }

  @Test
  void leavesNoProcessBehindWhenItIsKilled() throws Exception {
    ChildJvm demo = startDemo("--no-data");
    assertThat(untilReady()).noneMatch(line -> line.startsWith("loaded"));
    List<ProcessHandle> descendants = descendants(demo);

    demo.kill();

    assertGone(descendants);
  }
}
