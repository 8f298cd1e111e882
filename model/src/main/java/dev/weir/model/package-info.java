/**
 * The vocabulary of the gateway: plain values and the few interfaces that rooms meet at. Depends on
 * the JDK alone; everybody may use it. Values are immutable and safe on any thread; what is
 * confined to a thread says so.
 */
@NullMarked
package dev.weir.model;

import org.jspecify.annotations.NullMarked;
