CREATE TABLE orders (
  id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  customer text   NOT NULL,
  cents    int    NOT NULL CHECK (cents > 0),
  state    text   NOT NULL DEFAULT 'placed'
);
