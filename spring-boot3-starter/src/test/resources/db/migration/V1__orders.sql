CREATE TABLE orders (id bigint PRIMARY KEY, state text NOT NULL);
