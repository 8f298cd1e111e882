package dev.weir.bench.restart;

import dev.weir.testkit.DataNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A shell script that does something to a node of this JVM: it leaves a wish in a folder, and waits
 * until a thread of this class has granted it.
 */
final class NodeCommandScript implements AutoCloseable {
  private static final long PAUSE_MILLIS = 50;

  private final Path folder;
  private final Path script;
  private final List<DataNode> nodes;
  private final NodeWork work;
  private final Thread worker;

  /** What is done to a node. Returns when it is done. */
  interface NodeWork {
    void doTo(DataNode node) throws IOException, InterruptedException;
  }

  NodeCommandScript(Path folder, List<DataNode> nodes, NodeWork work) throws IOException {
    this.folder = folder;
    this.nodes = List.copyOf(nodes);
    this.work = work;
    this.script = folder.resolve("command.sh");
    Files.writeString(
        script,
        """
        cd "$(dirname "$0")"
        touch "$1.wish"
        while [ ! -e "$1.granted" ]; do
          if [ -e "$1.failed" ]; then cat "$1.failed"; exit 1; fi
          sleep 0.1
        done
        rm "$1.granted"
        """);
    this.worker = Thread.ofPlatform().name("node-command").daemon().start(this::grantWishes);
  }

  /** The command, with the name of the node still to be replaced. */
  String command() {
    return "sh " + script + " {name}";
  }

  private void grantWishes() {
    try {
      while (true) {
        for (DataNode node : nodes) {
          Path wish = folder.resolve(node.name() + ".wish");
          if (Files.exists(wish)) {
            Files.delete(wish);
            grant(node);
          }
        }
        Thread.sleep(PAUSE_MILLIS);
      }
    } catch (InterruptedException end) {
      // closed
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write to " + folder, e);
    }
  }

  /** Does the work. If it fails, the script prints why and fails, and so does its command. */
  private void grant(DataNode node) throws IOException, InterruptedException {
    try {
      work.doTo(node);
    } catch (IOException | RuntimeException e) {
      Files.writeString(folder.resolve(node.name() + ".failed"), e.toString());
      return;
    }
    Files.createFile(folder.resolve(node.name() + ".granted"));
  }

  @Override
  public void close() {
    worker.interrupt();
  }
}
