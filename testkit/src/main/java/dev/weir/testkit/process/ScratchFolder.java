package dev.weir.testkit.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A temporary folder that is deleted when it is closed or this JVM ends, or, if its owner was
 * killed, by the next owner of such a folder.
 *
 * <p>The owner holds a lock on a file in it; a folder whose lock can be had has no owner any more.
 */
public final class ScratchFolder implements AutoCloseable {
  private static final String LOCK = "owner.lock";
  private static final String PARENT = "weir.scratch";

  /**
   * The folders that this JVM owns. Their locks are not looked at: where locks are POSIX's, closing
   * a second channel of a file would give up the lock held by the first.
   */
  private static final Set<Path> OWN = ConcurrentHashMap.newKeySet();

  private final Path path;
  private final FileChannel lock;
  private final Runnable atExit = this::close;

  private ScratchFolder(Path path, FileChannel lock) {
    this.path = path;
    this.lock = lock;
  }

  /**
   * Makes a folder below the one that the system property {@code weir.scratch} names (the system's
   * temporary folder if it names none), and deletes those with the same prefix that lost their
   * owner.
   *
   * @param prefix how the folder's name begins
   */
  public static ScratchFolder create(String prefix) {
    String chosen = System.getProperty(PARENT, "");
    return create(
        Path.of(chosen.isBlank() ? System.getProperty("java.io.tmpdir") : chosen), prefix);
  }

  static ScratchFolder create(Path parent, String prefix) {
    try {
      deleteOrphans(parent, prefix);
      Path path = Files.createTempDirectory(parent, prefix);
      OWN.add(path);
      FileChannel lock =
          FileChannel.open(path.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      lock.lock();
      ScratchFolder folder = new ScratchFolder(path, lock);
      ShutdownActions.register(folder.atExit);
      return folder;
    } catch (IOException e) {
      throw new UncheckedIOException(
          "cannot make a temporary folder in " + parent + " (choose another with TMPDIR)", e);
    }
  }

  private static void deleteOrphans(Path parent, String prefix) throws IOException {
    List<Path> candidates;
    try (Stream<Path> children = Files.list(parent)) {
      candidates =
          children
              .filter(child -> child.getFileName().toString().startsWith(prefix))
              .filter(child -> !OWN.contains(child))
              .filter(child -> Files.isWritable(child.resolve(LOCK)))
              .toList();
    }
    for (Path candidate : candidates) {
      try (FileChannel channel =
          FileChannel.open(candidate.resolve(LOCK), StandardOpenOption.WRITE)) {
        FileLock free = channel.tryLock();
        if (free != null) {
          deleteLockLast(candidate);
        }
      } catch (IOException gone) {
        // another process deletes it, or may delete it; ignore the failure
      }
    }
  }

  /** Returns the folder. */
  public Path path() {
    return path;
  }

  /**
   * Deletes the folder and its contents. Files that cannot be deleted stay for the next owner to
   * delete. A concurrent call returns when the first one has finished.
   */
  @Override
  public synchronized void close() {
    try (lock) {
      deleteLockLast(path);
    } catch (IOException e) {
      // a process that just died may still write its last file, but no process owns the folder now
    } finally {
      OWN.remove(path);
      ShutdownActions.unregister(atExit);
    }
  }

  /** Deletes the lock last: a folder without it would never be deleted. */
  private static void deleteLockLast(Path folder) throws IOException {
    List<Path> children;
    try (Stream<Path> listed = Files.list(folder)) {
      children = listed.filter(child -> !child.endsWith(LOCK)).toList();
    }
    for (Path child : children) {
      delete(child);
    }
    delete(folder);
  }

  /** Deletes a folder with its contents; tolerates files that disappear meanwhile. */
  public static void delete(Path folder) throws IOException {
    if (!Files.exists(folder)) {
      return;
    }
    Files.walkFileTree(
        folder,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.deleteIfExists(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException failure)
              throws IOException {
            if (failure instanceof NoSuchFileException) {
              return FileVisitResult.CONTINUE;
            }
            throw failure;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path child, @Nullable IOException failure)
              throws IOException {
            Files.deleteIfExists(child);
            return FileVisitResult.CONTINUE;
          }
        });
  }
}
