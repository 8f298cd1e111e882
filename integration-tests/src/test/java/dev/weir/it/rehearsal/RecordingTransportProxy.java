package dev.weir.it.rehearsal;

import dev.weir.gateway.rehearsal.RecordedFrame;
import dev.weir.gateway.rehearsal.TransportRecording;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** A proxy in front of a node's transport port that records the first response to each request. */
final class RecordingTransportProxy implements AutoCloseable {
  private final ServerSocket listener;
  private final InetSocketAddress node;
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();
  private final Map<RecordedFrame.Key, RecordedFrame> answers = new LinkedHashMap<>();

  private RecordingTransportProxy(ServerSocket listener, InetSocketAddress node) {
    this.listener = listener;
    this.node = node;
  }

  static RecordingTransportProxy start(int port, InetSocketAddress node) {
    try {
      RecordingTransportProxy tee = new RecordingTransportProxy(new ServerSocket(port), node);
      Thread.ofPlatform().daemon().name("tee").start(tee::accept);
      return tee;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  TransportRecording recording() {
    synchronized (answers) {
      return new TransportRecording(answers);
    }
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket client = listener.accept();
        Socket server = new Socket(node.getAddress(), node.getPort());
        sockets.add(client);
        sockets.add(server);
        Map<Long, RecordedFrame.Key> waiting = new ConcurrentHashMap<>();
        Thread.ofPlatform().daemon().start(() -> copy(client, server, waiting));
        Thread.ofPlatform().daemon().start(() -> copy(server, client, waiting));
      } catch (IOException closed) {
        // the listener is closed
      }
    }
  }

  private void copy(Socket from, Socket to, Map<Long, RecordedFrame.Key> waiting) {
    try (from;
        to) {
      DataInputStream in = new DataInputStream(new BufferedInputStream(from.getInputStream()));
      for (RecordedFrame frame = RecordedFrame.read(in);
          frame != null;
          frame = RecordedFrame.read(in)) {
        if (!frame.isPing()) {
          remember(frame, waiting);
        }
        to.getOutputStream().write(frame.bytes());
      }
    } catch (IOException gone) {
      // one of the two sides has closed
    }
  }

  private void remember(RecordedFrame frame, Map<Long, RecordedFrame.Key> waiting)
      throws IOException {
    if (!frame.isResponse()) {
      waiting.put(frame.requestId(), frame.key());
      return;
    }
    RecordedFrame.Key key = waiting.remove(frame.requestId());
    if (key != null) {
      synchronized (answers) {
        answers.putIfAbsent(key, frame);
      }
    }
  }

  @Override
  public void close() {
    try {
      listener.close();
      for (Socket socket : sockets) {
        socket.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
