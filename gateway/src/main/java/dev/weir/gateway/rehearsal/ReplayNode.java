package dev.weir.gateway.rehearsal;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A node that plays a recording on a free port of the loopback address, a thread a connection. What
 * was not answered then is not answered now, as the poll for a change of the cluster's metadata.
 */
final class ReplayNode implements AutoCloseable {
  private final ServerSocket listener;
  private final TransportRecording recording;
  private final List<Socket> connections = new CopyOnWriteArrayList<>();
  private final Set<String> unanswered = new ConcurrentSkipListSet<>();

  private ReplayNode(ServerSocket listener, TransportRecording recording) {
    this.listener = listener;
    this.recording = recording.withPort(listener.getLocalPort());
  }

  static ReplayNode start(TransportRecording recording) throws IOException {
    ServerSocket listener = new ServerSocket();
    listener.bind(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0));
    ReplayNode node = new ReplayNode(listener, recording);
    Thread.ofPlatform().daemon().name("recorded-node").start(node::accept);
    return node;
  }

  int port() {
    return listener.getLocalPort();
  }

  /** What was asked for that the recording has no answer to. */
  Set<String> unanswered() {
    return unanswered;
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket socket = listener.accept();
        connections.add(socket);
        Thread.ofPlatform().daemon().name("recorded-channel").start(() -> serve(socket));
      } catch (IOException closed) {
        // The listener is closed, or the peer was gone at once.
      }
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      socket.setTcpNoDelay(true);
      DataInputStream in =
          new DataInputStream(new BufferedInputStream(socket.getInputStream(), 1 << 16));
      OutputStream out = socket.getOutputStream();
      for (RecordedFrame frame = RecordedFrame.read(in);
          frame != null;
          frame = RecordedFrame.read(in)) {
        RecordedFrame answer = frame.isPing() ? frame : recording.findAnswer(frame);
        if (answer == null) {
          unanswered.add(frame.key().toString());
        } else {
          out.write(answer.bytes());
        }
      }
    } catch (IOException gone) {
      // The gateway has closed the channel.
    }
  }

  @Override
  public void close() {
    try {
      listener.close();
      for (Socket socket : connections) {
        socket.close();
      }
    } catch (IOException e) {
      // It ends anyway.
    }
  }
}
