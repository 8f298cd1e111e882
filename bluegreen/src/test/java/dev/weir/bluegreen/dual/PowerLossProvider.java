package dev.weir.bluegreen.dual;

import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.AccessMode;
import java.nio.file.CopyOption;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.spi.FileSystemProvider;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The operations of a {@link PowerLossFileSystem}: those that a repair log needs. */
final class PowerLossProvider extends FileSystemProvider {
  private final PowerLossFileSystem fileSystem;
  private final PowerLossDisk disk;

  PowerLossProvider(PowerLossFileSystem fileSystem, PowerLossDisk disk) {
    this.fileSystem = fileSystem;
    this.disk = disk;
  }

  private boolean isDirectory(Path path) {
    return path.equals(fileSystem.directory());
  }

  private static String name(Path path) {
    return path.getFileName().toString();
  }

  @Override
  public FileChannel newFileChannel(
      Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
      throws FileAlreadyExistsException, NoSuchFileException {
    if (isDirectory(path)) {
      return new PowerLossChannel(disk, null);
    }
    PowerLossDisk.Content content = disk.find(name(path));
    if (options.contains(StandardOpenOption.CREATE_NEW) && content != null) {
      throw new FileAlreadyExistsException(path.toString());
    }
    if (content == null) {
      if (!options.contains(StandardOpenOption.CREATE)
          && !options.contains(StandardOpenOption.CREATE_NEW)) {
        throw new NoSuchFileException(path.toString());
      }
      content = disk.create(name(path));
    } else if (options.contains(StandardOpenOption.TRUNCATE_EXISTING)) {
      disk.setBytes(content, new byte[0]);
    }
    PowerLossChannel channel = new PowerLossChannel(disk, content);
    if (options.contains(StandardOpenOption.APPEND)) {
      channel.position(content.bytes().length);
    }
    return channel;
  }

  @Override
  public SeekableByteChannel newByteChannel(
      Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
      throws FileAlreadyExistsException, NoSuchFileException {
    return newFileChannel(path, options, attributes);
  }

  @Override
  public DirectoryStream<Path> newDirectoryStream(
      Path path, DirectoryStream.Filter<? super Path> filter) {
    List<Path> files = disk.names().stream().map(path::resolve).toList();
    return new DirectoryStream<>() {
      @Override
      public Iterator<Path> iterator() {
        return files.iterator();
      }

      @Override
      public void close() {
        // nothing is open
      }
    };
  }

  @Override
  public void createDirectory(Path path, FileAttribute<?>... attributes) {
    disk.requirePower(); // the directory exists; nobody asks
  }

  @Override
  public void delete(Path path) throws NoSuchFileException {
    checkAccess(path);
    disk.delete(name(path));
  }

  @Override
  public void move(Path from, Path to, CopyOption... options) throws NoSuchFileException {
    checkAccess(from);
    disk.rename(name(from), name(to));
  }

  @Override
  public void checkAccess(Path path, AccessMode... modes) throws NoSuchFileException {
    if (!isDirectory(path) && disk.find(name(path)) == null) {
      throw new NoSuchFileException(path.toString());
    }
  }

  @Override
  public String getScheme() {
    return "power-loss";
  }

  @Override
  public FileSystem newFileSystem(URI uri, Map<String, ?> environment) {
    throw new UnsupportedOperationException();
  }

  @Override
  public FileSystem getFileSystem(URI uri) {
    return fileSystem;
  }

  @Override
  public Path getPath(URI uri) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void copy(Path from, Path to, CopyOption... options) {
    throw new UnsupportedOperationException();
  }

  @Override
  public boolean isSameFile(Path one, Path other) {
    return one.equals(other);
  }

  @Override
  public boolean isHidden(Path path) {
    return false;
  }

  @Override
  public FileStore getFileStore(Path path) {
    throw new UnsupportedOperationException();
  }

  @Override
  public <V extends FileAttributeView> @Nullable V getFileAttributeView(
      Path path, Class<V> type, LinkOption... options) {
    return null;
  }

  @Override
  public <A extends BasicFileAttributes> A readAttributes(
      Path path, Class<A> type, LinkOption... options) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Map<String, Object> readAttributes(Path path, String names, LinkOption... options) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void setAttribute(Path path, String name, Object value, LinkOption... options) {
    throw new UnsupportedOperationException();
  }
}
