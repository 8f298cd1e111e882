package dev.weir.routing.write;

/** The volume of a write. */
public record WriteVolume(int documents, long bytes) {}
