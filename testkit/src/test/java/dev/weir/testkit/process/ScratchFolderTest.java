package dev.weir.testkit.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ScratchFolderTest {
  @TempDir private Path parent;

  @Test
  void deletesTheFolderWhenItIsClosed() throws Exception {
    ScratchFolder folder = ScratchFolder.create(parent, "scratch-");
    Files.createDirectories(folder.path().resolve("a/b"));
    Files.writeString(folder.path().resolve("a/b/file"), "x");

    folder.close();

    assertThat(folder.path()).doesNotExist();
  }

  @Test
  void deleteAFolderOfAnEndedOwner() throws Exception {
    Path orphan = parent.resolve("scratch-orphan");
    Files.createDirectories(orphan.resolve("data"));
    Files.createFile(orphan.resolve("owner.lock"));

    ScratchFolder.create(parent, "scratch-").close();

    assertThat(orphan).doesNotExist();
  }

  @Test
  void deletesTheFolderWhenItsOwnerIsTerminated() throws Exception {
    BlockingQueue<String> lines = new LinkedBlockingQueue<>();
    JvmCommand owner =
        JvmCommand.of(
            ClassPath.ofThisJvm(),
            List.of("-Djava.io.tmpdir=" + parent),
            ScratchMain.class.getName(),
            List.of());
    ChildJvm child = ChildJvm.start(owner, parent.resolve("errors.txt"), lines::add);
    Path folder = Path.of(Objects.requireNonNull(lines.poll(60, TimeUnit.SECONDS)));
    assertThat(folder).isDirectoryContaining("glob:**/file");

    child.stop(Duration.ofSeconds(60));

    assertThat(folder).doesNotExist();
  }

  @Test
  void keepsOwningAFolderWhileItsOwnerMakesOthers() throws Exception {
    try (ScratchFolder owned = ScratchFolder.create(parent, "scratch-")) {
      ScratchFolder.create(parent, "scratch-").close();

      assertThat(canBeLockedByAnother(owned.path().resolve("owner.lock"))).isFalse();
    }
  }

  /** Whether another process gets the lock. */
  private boolean canBeLockedByAnother(Path lock) throws Exception {
    Path source = parent.resolve("Probe.java");
    Files.writeString(
        source,
        """
        void main(String[] arguments) throws Exception {
          try (var channel = java.nio.channels.FileChannel.open(
              java.nio.file.Path.of(arguments[0]), java.nio.file.StandardOpenOption.WRITE)) {
            System.exit(channel.tryLock() == null ? 1 : 0);
          }
        }
        """);
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    Process probe = new ProcessBuilder(java, source.toString(), lock.toString()).start();
    return probe.waitFor() == 0;
  }

  @Test
  void leavesFoldersAloneThatAreOwnedOrNotOurs() throws Exception {
    Path unknown = Files.createDirectories(parent.resolve("scratch-without-lock"));
    Path other = Files.createDirectories(parent.resolve("other"));
    Files.createFile(other.resolve("owner.lock"));
    try (ScratchFolder owned = ScratchFolder.create(parent, "scratch-")) {
      ScratchFolder.create(parent, "scratch-").close();

      assertThat(owned.path()).exists();
      assertThat(unknown).exists();
      assertThat(other).exists();
    }
  }
}
