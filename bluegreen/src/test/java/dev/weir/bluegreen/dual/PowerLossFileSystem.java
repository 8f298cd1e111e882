package dev.weir.bluegreen.dual;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.WatchService;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.nio.file.spi.FileSystemProvider;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One directory in memory that knows what of it is on disk. At a chosen step of what a program does
 * to it, the power fails; then it survives what was synced, and any part of the rest. Used by one
 * thread.
 */
final class PowerLossFileSystem extends FileSystem {
  private final PowerLossDisk disk;
  private final PowerLossProvider provider;

  PowerLossFileSystem(PowerLossDisk disk) {
    this.disk = disk;
    this.provider = new PowerLossProvider(this, disk);
  }

  PowerLossDisk disk() {
    return disk;
  }

  /** The directory. */
  Path directory() {
    return wrap(Path.of("/repair"));
  }

  /** Gives a path of this file system the names of another, which is only used for its names. */
  Path wrap(Path names) {
    InvocationHandler handler = new NamesOfAnother(this, names);
    return (Path)
        Proxy.newProxyInstance(Path.class.getClassLoader(), new Class<?>[] {Path.class}, handler);
  }

  /** Answers for a path, by that of the default file system with the same names. */
  private record NamesOfAnother(PowerLossFileSystem fileSystem, Path names)
      implements InvocationHandler {
    @Override
    public @Nullable Object invoke(
        Object proxy, java.lang.reflect.Method method, Object @Nullable [] arguments)
        throws Throwable {
      if (method.getName().equals("getFileSystem")) {
        return fileSystem;
      }
      Object[] theirs = arguments == null ? new Object[0] : arguments.clone();
      for (int i = 0; i < theirs.length; i++) {
        if (theirs[i] instanceof Path other && Proxy.isProxyClass(other.getClass())) {
          theirs[i] = ((NamesOfAnother) Proxy.getInvocationHandler(other)).names;
        }
      }
      try {
        Object result = method.invoke(names, theirs);
        return result instanceof Path path ? fileSystem.wrap(path) : result;
      } catch (InvocationTargetException e) {
        throw e.getCause();
      }
    }
  }

  @Override
  public FileSystemProvider provider() {
    return provider;
  }

  @Override
  public Path getPath(String first, String... more) {
    return wrap(Path.of(first, more));
  }

  @Override
  public boolean isOpen() {
    return true;
  }

  @Override
  public boolean isReadOnly() {
    return false;
  }

  @Override
  public String getSeparator() {
    return "/";
  }

  @Override
  public void close() {
    // it is garbage
  }

  @Override
  public Iterable<Path> getRootDirectories() {
    return List.of();
  }

  @Override
  public Iterable<FileStore> getFileStores() {
    return List.of();
  }

  @Override
  public Set<String> supportedFileAttributeViews() {
    return Set.of();
  }

  @Override
  public PathMatcher getPathMatcher(String syntaxAndPattern) {
    throw new UnsupportedOperationException();
  }

  @Override
  public UserPrincipalLookupService getUserPrincipalLookupService() {
    throw new UnsupportedOperationException();
  }

  @Override
  public WatchService newWatchService() {
    throw new UnsupportedOperationException();
  }
}
