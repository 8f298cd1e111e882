package dev.weir.testkit.process;

import java.nio.file.Files;
import java.util.concurrent.CountDownLatch;

/** Makes a scratch folder, says where, and never closes it. */
final class ScratchMain {
  private ScratchMain() {}

  static void main(String[] arguments) throws Exception {
    ScratchFolder folder = ScratchFolder.create("weir-scratch-");
    Files.writeString(folder.path().resolve("file"), "x");
    System.out.println(folder.path());
    new CountDownLatch(1).await();
  }
}
