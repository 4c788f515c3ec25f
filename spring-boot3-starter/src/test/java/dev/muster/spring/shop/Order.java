package dev.muster.spring.shop;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;

/** An order of the shop. */
@Entity
@Table(name = "orders")
public class Order {
    @Id
    private long id;

    private String state;

    protected Order() {}

    public Order(long id, String state) {
        this.id = id;
        this.state = state;
    }

    public long getId() {
        return id;
    }

    public String getState() {
        return state;
    }

    public void setState(String state) {
        this.state = state;
    }
}
